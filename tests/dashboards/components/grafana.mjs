// What render.js draws with, for a browser.
export * as data from "@grafana/data";
export { BarGauge, BigValue, Table, ThemeContext, TimeSeries } from "@grafana/ui";
export { default as React } from "react";
export { flushSync } from "react-dom";
export { createRoot } from "react-dom/client";
export { firstValueFrom } from "rxjs";
