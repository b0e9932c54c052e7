// Type-checks dashboards with Grafana's own types, once for each Grafana.
//   node check.mjs TYPES GRAFANA,... FILE...      TYPES is what tests/npm fetched; prints "GRAFANA: FILE: MEMBER: what is wrong"
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const [folder, grafanas, ...paths] = process.argv.slice(2);
const [types, ...files] = [folder, ...paths].map((path) => resolve(path));
const ts = createRequire(`${types}/`)("typescript");
const PROMETHEUS = { 10: 11, 11: 11, 12: 12, 13: 12 }; // whose queries they have

// board.ts stands beside what was fetched, and each dashboard is a constant of its type.
const sources = { [`${types}/board.ts`]: readFileSync(new URL("board.ts", import.meta.url), "utf8") };
for (const file of files) {
  const text = readFileSync(file, "utf8");
  const type = "__inputs" in JSON.parse(text) ? "Imported" : "Board";
  sources[`${file}.ts`] = `import type { ${type} } from "${types}/board";\nexport const board: ${type} = ${text};\n`;
}

// Where in the dashboard something is, e.g. panels.3.options.legend
function member(source, position) {
  const path = [];
  const visit = (node) => node.forEachChild((child) => {
    if (child.pos > position || child.end <= position) return;
    if (ts.isPropertyAssignment(child)) path.push(child.name.text);
    if (ts.isArrayLiteralExpression(node)) path.push(node.elements.indexOf(child));
    visit(child);
  });
  visit(source);
  return path.join(".");
}

for (const grafana of grafanas.split(",")) {
  const package_of = (name) => `${types}/node_modules/${name}`;
  const { version } = JSON.parse(readFileSync(`${package_of(`schema-${grafana}`)}/package.json`));
  const options = {
    strict: true, noEmit: true, skipLibCheck: true, types: [],
    target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
    paths: {
      "@grafana/schema": [package_of(`schema-${grafana}`)],
      "@grafana/schema/*": [`${package_of(`schema-${grafana}`)}/*`],
      prometheus: [`${package_of(`prometheus-${PROMETHEUS[grafana]}`)}/dist/prometheus`],
    },
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => path in sources || fileExists(path);
  host.readFile = (path) => sources[path] ?? readFile(path);
  host.getSourceFile = (path, ...how) => path in sources ? ts.createSourceFile(path, sources[path], how[0]) : getSourceFile(path, ...how);
  for (const { file, start, messageText } of ts.getPreEmitDiagnostics(ts.createProgram(Object.keys(sources), options, host))) {
    const where = file ? `${file.fileName.replace(/\.ts$/, "")}: ${member(file, start)}` : "";
    console.log(`${version}: ${where}: ${ts.flattenDiagnosticMessageText(messageText, " ").slice(0, 300)}`);
  }
}
