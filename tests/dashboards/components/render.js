// Draws panels with Grafana's own components (@grafana/ui), of what Prometheus answered. Grafana's data layer (@grafana/data)
// transforms the answers, applies what a panel says of its fields, and reduces and formats values. What lies between them is
// in Grafana's plugins, which npm has not. It is done here, for the panels that we have.
'use strict';

const { data, React } = grafana;
const theme = data.createTheme();
const element = React.createElement;
const plain = (text) => text;

const transformers = new Map(Object.values(data.standardTransformers).map((one) => [one.id, one]));
data.standardTransformersRegistry.setInit(() => [...transformers.values()].map((transformation) => ({...transformation, transformation})));

const processors = {
	unit: data.unitOverrideProcessor, decimals: data.numberOverrideProcessor, min: data.numberOverrideProcessor, max: data.numberOverrideProcessor,
	mappings: data.valueMappingsOverrideProcessor, thresholds: data.thresholdsOverrideProcessor, links: data.dataLinksOverrideProcessor,
	noValue: data.stringOverrideProcessor, displayName: data.displayNameOverrideProcessor,
};

// Which members of a field's configuration there are, as a plugin tells Grafana.
function registry({defaults, overrides}) {
	const custom = Object.keys(defaults.custom || {}).map((name) => `custom.${name}`);
	const overridden = overrides.flatMap(({properties}) => properties.map(({id}) => id));
	return new data.FieldConfigOptionsRegistry(() => [...new Set(['color', ...Object.keys(processors), ...custom, ...overridden])].map((id) => ({
		id, name: id, path: id.replace('custom.', ''), isCustom: id.startsWith('custom.'), shouldApply: () => true,
		process: processors[id] || data.identityOverrideProcessor,
	})));
}

// As Grafana's data source makes them: a frame for a table, or one for each series.
function frames(panel, answers) {
	const time = (points) => ({name: 'Time', type: 'time', values: points.map(([at]) => at * 1000)});
	return panel.targets.flatMap(({refId, format, legendFormat}, at) => {
		if (format === 'table') {
			const points = answers[at].map((series) => series.value);
			const labels = [...new Set(answers[at].flatMap(({metric}) => Object.keys(metric)))].sort();
			return [data.toDataFrame({refId, fields: [
				time(points),
				...labels.map((name) => ({name, type: 'string', values: answers[at].map(({metric}) => metric[name] || '')})),
				{name: panel.targets.length > 1 ? `Value #${refId}` : 'Value', type: 'number', values: points.map(([, value]) => +value)},
			]})];
		}
		return answers[at].map(({metric, value, values = [value]}) => {
			const name = legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, label) => metric[label] || '');
			return data.toDataFrame({refId, name, fields: [time(values),
				{name: 'Value', type: 'number', labels: metric, config: {displayNameFromDS: name}, values: values.map(([, of]) => +of)}]});
		});
	});
}

const draw = {
	stat: (panel, {values, options, size}) => values().map((of, key) => element(grafana.BigValue, {...options, ...size, key, theme, value: of.display})),
	bargauge: (panel, {values, options, size}) => values().map((of, key) => element(grafana.BarGauge, {
		...options, ...size, height: 40, key, theme, value: of.display, field: of.field, itemSpacing: 8, valueDisplayMode: options.valueMode,
		display: of.view.getFieldDisplayProcessor(of.colIndex),
	})),
	table: (panel, {series, options, size, timeRange}) => element(grafana.Table, {
		...options, ...size, timeRange, data: series[0], initialSortBy: options.sortBy, enableSharedCrosshair: false}),
	timeseries: (panel, {series, options, size, timeRange}) => element(grafana.TimeSeries, {
		...size, timeRange, frames: series, timeZone: 'utc', legend: options.legend, options, structureRev: 1}, () => null),
};

class Boundary extends React.Component {
	state = {};
	static getDerivedStateFromError(error) { return {error}; }
	componentDidCatch(error) { this.props.failed(error); }
	render() { return this.state.error ? null : this.props.children; }
}

async function show(panel, {start, end}, answers, box) {
	const fieldConfig = panel.fieldConfig, from = data.dateTime(start * 1000), to = data.dateTime(end * 1000);
	const transformed = await grafana.firstValueFrom(data.transformDataFrame(panel.transformations || [], frames(panel, answers)));
	const common = {fieldConfig, theme, replaceVariables: plain, timeZone: 'utc'};
	const series = data.applyFieldOverrides({...common, data: transformed, fieldConfigRegistry: registry(fieldConfig)});
	const of = {
		series, options: panel.options, timeRange: {from, to, raw: {from, to}}, size: {width: panel.gridPos.w * 80, height: panel.gridPos.h * 38},
		values: () => data.getFieldDisplayValues({...common, data: series, reduceOptions: panel.options.reduceOptions}),
	};
	const errors = [], complain = console.error, root = grafana.createRoot(box);
	console.error = (...said) => errors.push(said.join(' '));
	try {
		grafana.flushSync(() => root.render(element(grafana.ThemeContext.Provider, {value: theme},
			element(Boundary, {failed: (error) => errors.push(error.stack)}, series.length ? draw[panel.type](panel, of) : null))));
		// The plot waits until its legend has been measured.
		for (let wait = 0; panel.type === 'timeseries' && series.length && !box.querySelector('canvas') && wait < 100; wait++)
			await new Promise((then) => setTimeout(then, 20));
		const texts = (selector, within = box) => [...within.querySelectorAll(selector)].map((one) => one.innerText.trim());
		return {
			errors, text: box.innerText, names: series.map(({name}) => name), plots: box.querySelectorAll('canvas').length,
			heads: texts('[role=columnheader]'), rows: [...box.querySelectorAll('[role=row]')].map((row) => texts('[role=cell]', row)).filter((row) => row.length),
		};
	} finally {
		console.error = complain;
		root.unmount();
	}
}

// {id: what is to be seen} of the panels that we can draw
async function showAll(board, answers) {
	const shown = {}, box = document.body.appendChild(document.createElement('div'));
	const all = board.panels.flatMap((panel) => [panel, ...(panel.panels || [])]); // those of collapsed rows, too
	for (const panel of all.filter(({type}) => type in draw)) {
		const at = box.appendChild(document.createElement('div'));
		shown[panel.id] = await show(panel, answers, answers.panels[panel.id], at).catch((error) => ({errors: [error.stack]}));
		at.remove();
	}
	return shown;
}
