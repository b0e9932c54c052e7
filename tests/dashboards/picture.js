// Draws a dashboard from its JSON and Prometheus' answers, roughly as Grafana does. A test tool: it knows what our
// dashboards use and nothing else.
'use strict';

const palette = ['#73bf69', '#f2cc0c', '#8ab8ff', '#ff780a', '#f2495c', '#5794f2', '#b877d9', '#705da0', '#37872d', '#fade2a',
	'#447ebc', '#c15c17', '#890f02', '#0a437c', '#6d1f62', '#584477'];
const colours = {red: '#f2495c', orange: '#ff9830', yellow: '#fade2a', green: '#73bf69', blue: '#5794f2', purple: '#b877d9',
	gray: '#8e8e9a', text: '#ccccdc', 'dark-red': '#c4162a', 'light-red': '#ff7383', 'semi-dark-red': '#e02f44',
	'dark-orange': '#fa6400', 'light-blue': '#8ab8ff', 'light-yellow': '#ffee52'};
const colour = (name) => colours[name] || '#ff00ff';

function scaled(value, step, names, digits = 3) {
	let at = 0, size = Math.abs(value);
	while (size >= step && at < names.length - 1) { size /= step; at++; }
	return `${+(Math.sign(value) * size).toPrecision(digits)}${names[at]}`;
}

function duration(seconds) {
	const units = [[31536000, ' y'], [604800, ' w'], [86400, ' d'], [3600, ' h'], [60, ' min'], [1, ' s'], [1e-3, ' ms'], [1e-6, ' µs']];
	if (!seconds) return '0 s';
	const [size, name] = units.find(([size]) => Math.abs(seconds) >= size) || units[units.length - 1];
	return `${+(seconds / size).toPrecision(3)}${name}`;
}

function fromNow(ms) {
	const seconds = data.end - ms / 1000;
	return seconds >= 0 ? `${duration(seconds)} ago` : `in ${duration(-seconds)}`;
}

const units = {
	short: (v, digits) => digits !== undefined ? v.toFixed(digits) : Math.abs(v) < 1000 ? `${+v.toPrecision(3)}` : scaled(v, 1000, ['', ' K', ' Mil', ' Bil', ' Tri']),
	locale: (v, digits) => v.toLocaleString('en', {maximumFractionDigits: digits ?? 3}),
	s: duration,
	bytes: (v) => scaled(v, 1024, [' B', ' KiB', ' MiB', ' GiB', ' TiB', ' PiB']),
	Bps: (v) => scaled(v, 1000, [' B/s', ' kB/s', ' MB/s', ' GB/s']),
	percentunit: (v) => `${+(v * 100).toPrecision(3)}%`,
	celsius: (v) => `${+v.toPrecision(3)} °C`,
	watt: (v) => scaled(v, 1000, [' W', ' kW', ' MW']),
	ops: (v) => scaled(v, 1000, [' ops/s', ' Kops/s']),
	dateTimeFromNow: fromNow,
	dateTimeAsIso: (v) => new Date(v).toISOString().slice(0, 19).replace('T', ' '),
	massg: (v) => scaled(v, 1000, [' g', ' kg', ' t']),
	kwatth: (v) => scaled(v, 1000, [' kWh', ' MWh', ' GWh']),
};

const shown = (value, unit, digits) => {
	if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : '∞';
	const [, kind, symbol] = /^(currency|prefix):(.*)$/.exec(unit) || [];
	if (kind) return symbol + (kind === 'prefix' ? value.toFixed(digits) : scaled(value, 1000, ['', 'K', 'M', 'B']));
	return units[unit](value, digits);
};

function element(parent, kind, attributes = {}, text = '') {
	const svg = ['svg', 'path', 'line', 'rect', 'text', 'g'].includes(kind);
	const made = svg ? document.createElementNS('http://www.w3.org/2000/svg', kind) : document.createElement(kind);
	for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
	made.textContent = text;
	parent.appendChild(made);
	return made;
}

// What a series is called: {{label}} is filled in.
function called(target, metric) {
	if (target.legendFormat) return target.legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name) => metric[name] || '').trim();
	return Object.values(metric).join(' ') || 'Value';
}

const mapped = (config, value) => (config.mappings || []).map((one) => one.options[String(value)]).find((one) => one);

function threshold(config, value) {
	let found = 'text';
	for (const step of config.thresholds ? config.thresholds.steps : []) if (step.value === null || value >= step.value) found = step.color;
	return colour(found);
}

function series(panel) {
	const found = [];
	panel.targets.forEach((target, at) => {
		for (const one of data.panels[panel.id][at])
			found.push({name: called(target, one.metric), metric: one.metric,
				points: (one.values || [one.value]).map(([time, value]) => [+time, +value])});
	});
	return found;
}

function colourOf(panel, name, at) {
	for (const override of panel.fieldConfig.overrides)
		if (override.matcher.id === 'byName' && override.matcher.options === name)
			for (const one of override.properties) if (one.id === 'color') return colour(one.value.fixedColor);
	return palette[at % palette.length];
}

function isNegative(panel, name) {
	return panel.fieldConfig.overrides.some((one) => one.matcher.id === 'byRegexp' && new RegExp(`^(?:${one.matcher.options})$`).test(name));
}

function overridden(panel, name) {
	const config = {...panel.fieldConfig.defaults};
	for (const override of panel.fieldConfig.overrides)
		if (override.matcher.options === name) for (const one of override.properties) config[one.id] = one.value;
	return config;
}

function drawStat(panel, body) {
	const all = series(panel), box = element(body, 'div');
	const tall = body.clientHeight / all.length > 34 && body.clientWidth / all.length < 90;
	box.className = tall || all.length > 2 && body.clientWidth < 320 ? 'stats down' : 'stats';
	for (const one of all) {
		const config = overridden(panel, one.name);
		const value = one.points[0][1], meaning = mapped(config, value), cell = element(box, 'div');
		const text = panel.options.textMode === 'name' ? one.name : meaning ? meaning.text : shown(value, config.unit, config.decimals);
		const size = box.className === 'stats' ? Math.min(38, body.clientWidth / all.length / (text.length * 0.7), body.clientHeight * 0.5) : 18;
		if (all.length > 1) element(cell, 'small', {}, one.name);
		element(cell, 'div', {style: `color:${meaning ? colour(meaning.color) : threshold(config, value)};font-size:${size}px`}, text);
	}
}

function drawBars(panel, body) {
	const config = panel.fieldConfig.defaults, all = series(panel).sort((a, b) => b.points[0][1] - a.points[0][1]);
	const most = config.max || Math.max(...all.map((one) => one.points[0][1]), 1e-9), box = element(body, 'div', {class: 'bars'});
	all.forEach((one, at) => {
		const value = one.points[0][1], row = element(box, 'div'), shade = config.color.mode === 'thresholds' ? threshold(config, value) : palette[at % palette.length];
		element(row, 'div', {class: 'name'}, one.name);
		element(element(row, 'div', {class: 'track'}), 'div', {style: `width:${100 * Math.max(0, value) / most}%;background:${shade}`});
		element(row, 'div', {class: 'value', style: `color:${shade}`}, shown(value, config.unit));
	});
}

function ticks(low, high, most, unit) {
	const bases = unit === 's' ? [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10800, 21600, 43200, 86400] : [];
	const raw = (high - low) / most || 1, binary = unit === 'bytes';
	const power = binary ? 1024 ** Math.floor(Math.log2(raw) / 10) : 10 ** Math.floor(Math.log10(raw));
	const step = bases.find((base) => base >= raw && raw > 0.5) || (binary ? [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024] : [1, 2, 5, 10]).map((one) => one * power).find((one) => one >= raw);
	const found = [];
	for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step / 1e6; at += step) found.push(Math.abs(at) < step / 1e6 ? 0 : at);
	return found;
}

// The frame of what is drawn over time; gives back where a time is.
function timeAxis(svg, left, right, bottom) {
	const x = (time) => left + (right - left) * (time - data.start) / (data.end - data.start);
	const step = [60, 300, 600, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2629800, 5259600, 7889400]
		.find((one) => (data.end - data.start) / one <= (right - left) / 75);
	const part = step < 86400 ? [11, 16] : step < 2629800 ? [5, 10] : [0, 7];
	for (let time = Math.ceil(data.start / step) * step; time <= data.end; time += step)
		if (x(time) + 20 < right) element(svg, 'text', {x: x(time), y: bottom + 14, 'text-anchor': 'middle'}, new Date(time * 1000).toISOString().slice(...part).replace('-', step < 2629800 ? '/' : '-'));
	return x;
}

function legend(body, entries) {
	const box = element(body, 'div', {class: 'legend'});
	for (const [name, shade] of entries) {
		const entry = element(box, 'span');
		element(entry, 'i', {style: `background:${shade}`});
		entry.appendChild(document.createTextNode(name));
	}
	return box.offsetHeight;
}

function drawGraph(panel, body) {
	const config = panel.fieldConfig.defaults, all = series(panel), stacked = config.custom.stacking.mode === 'normal';
	const foot = legend(body, all.map((one, at) => [one.name, colourOf(panel, one.name, at)]));
	const width = body.clientWidth, bottom = body.clientHeight - foot - 20, left = 66, top = 6;
	const svg = element(body, 'svg', {width, height: bottom + 18});
	const base = new Map(), lines = all.map((one) => one.points.map(([time, value]) => {
		value = isNegative(panel, one.name) ? -value : value;
		if (!stacked || !Number.isFinite(value)) return [time, value, 0];
		const key = Math.round(time), below = base.get(key) || 0;
		base.set(key, below + value);
		return [time, below + value, below];
	}));
	const values = lines.flat().map(([, value]) => value).filter(Number.isFinite);
	let low = config.min ?? Math.min(...values), high = config.max ?? Math.max(...values);
	if (!(high > low)) high = low + 1;
	const marks = ticks(low, high, Math.max(2, bottom / 38), config.unit);
	if (config.max === undefined && marks.length > 1) high = Math.max(high, marks[marks.length - 1]);
	const y = (value) => bottom - (bottom - top) * (value - low) / (high - low);
	for (const mark of marks) {
		element(svg, 'line', {x1: left, x2: width, y1: y(mark), y2: y(mark), stroke: '#2a2b33'});
		element(svg, 'text', {x: left - 6, y: y(mark) + 4, 'text-anchor': 'end'}, shown(mark, config.unit));
	}
	const x = timeAxis(svg, left, width - 4, bottom);
	lines.forEach((points, at) => {
		const shade = colourOf(panel, all[at].name, at);
		let line = '', pen = false, runs = [[]], before = null;
		for (const [time, value, below] of points) {
			if (!Number.isFinite(value) || before !== null && time - before > 1.5 * data.steps[panel.id]) pen = false;
			if (Number.isFinite(value)) {
				if (!pen) runs.push([]);
				line += `${pen ? 'L' : 'M'}${x(time)},${y(value)}`;
				runs[runs.length - 1].push([x(time), y(value), y(stacked ? below : Math.max(low, 0))]);
				pen = true;
			}
			before = time;
		}
		for (const run of runs.filter((one) => one.length)) {
			const area = `M${run.map(([px, py]) => `${px},${py}`).join('L')}L${[...run].reverse().map(([px, , pb]) => `${px},${pb}`).join('L')}Z`;
			element(svg, 'path', {d: area, fill: shade, 'fill-opacity': (config.custom.fillOpacity || 0) / 100});
		}
		element(svg, 'path', {d: line, fill: 'none', stroke: shade, 'stroke-width': 1.3});
	});
	for (const note of data.annotations)
		element(svg, 'line', {x1: x(note.at), x2: x(note.at), y1: top, y2: bottom, stroke: colour(note.color), 'stroke-dasharray': '3,3'});
}

function drawHeatmap(panel, body) {
	const all = series(panel).map((one) => ({le: +one.metric.le.replace('+Inf', 'Infinity'), points: new Map(one.points.map(([t, v]) => [Math.round(t), v]))}))
		.sort((a, b) => a.le - b.le);
	const times = [...new Set(all.flatMap((one) => [...one.points.keys()]))].sort((a, b) => a - b);
	const step = Math.max(1, Math.ceil(times.length / (body.clientWidth / 12)));
	const columns = times.filter((time, at) => at % step === 0), cells = [];
	let most = 0;
	all.forEach((one, row) => columns.forEach((time) => {
		const value = (one.points.get(time) || 0) - (row ? all[row - 1].points.get(time) || 0 : 0);
		if (value > 1e-9) cells.push([row, time, value]);
		most = Math.max(most, value);
	}));
	const rows = cells.map(([row]) => row), first = Math.min(...rows), last = Math.max(...rows), count = last - first + 1;
	const width = body.clientWidth, bottom = body.clientHeight - 22, left = 66, svg = element(body, 'svg', {width, height: bottom + 18});
	const x = timeAxis(svg, left, width - 4, bottom), high = bottom / count, wide = Math.max(2, (x(times[1] || 1) - x(times[0] || 0)) * step - 1);
	for (const [row, time, value] of cells) {
		const depth = Math.sqrt(value / most);
		element(svg, 'rect', {x: x(time), y: bottom - (row - first + 1) * high + 1, width: wide, height: Math.max(1, high - 1),
			fill: `rgb(${[255 - 89 * depth, 220 - 165 * depth, 170 - 167 * depth].map(Math.round)})`});
	}
	const each = Math.ceil(count / (bottom / 16));
	for (let row = first; row <= last; row += each)
		element(svg, 'text', {x: left - 6, y: bottom - (row - first + 1) * high + 8, 'text-anchor': 'end'}, shown(all[row].le, panel.options.yAxis.unit));
}

function drawTimeline(panel, body) {
	const config = panel.fieldConfig.defaults, all = series(panel).sort((a, b) => a.name < b.name ? -1 : 1);
	const foot = legend(body, config.mappings.flatMap((one) => Object.values(one.options)).sort((a, b) => a.index - b.index)
		.map((one) => [one.text, colour(one.color)]));
	const width = body.clientWidth, bottom = body.clientHeight - foot - 22, left = 66, high = Math.min(40, bottom / all.length);
	const svg = element(body, 'svg', {width, height: bottom + 18}), x = timeAxis(svg, left, width - 4, bottom);
	all.forEach((one, row) => {
		element(svg, 'text', {x: left - 6, y: row * high + high / 2 + 4, 'text-anchor': 'end'}, one.name);
		for (let at = 0, next; at < one.points.length; at = next) {
			const [time, value] = one.points[at], meaning = mapped(config, value);
			const follows = (i) => i < one.points.length && one.points[i][0] - one.points[i - 1][0] < 1.5 * data.steps[panel.id];
			for (next = at + 1; follows(next) && one.points[next][1] === value; next++);
			const until = follows(next) ? one.points[next][0] : Math.min(data.end, one.points[next - 1][0] + data.steps[panel.id]);
			element(svg, 'rect', {x: x(time), y: row * high + high * 0.08, width: Math.max(1, x(until) - x(time)), height: high * 0.84,
				fill: meaning ? colour(meaning.color) : '#ff00ff', 'fill-opacity': 0.85});
		}
	});
}

function drawTable(panel, body) {
	const {renameByName: names, indexByName: order, excludeByName: out} = panel.transformations.find((one) => one.id === 'organize').options;
	const rows = new Map();
	panel.targets.forEach((target, at) => {
		const column = panel.targets.length > 1 ? `Value #${target.refId}` : 'Value';
		for (const {metric, value} of data.panels[panel.id][at]) {
			const fits = [...rows.values()].filter((row) => Object.entries(metric).every(([name, text]) => !(name in row) || row[name] === text));
			const of = fits.length && at ? fits : [{...metric}];
			for (const row of of) {
				Object.assign(row, metric, {[column]: +value[1]});
				rows.set(row, row);
			}
		}
	});
	const columns = Object.keys(names).filter((name) => !out[name] && (name.startsWith('Value') || [...rows.values()].some((row) => name in row)))
		.sort((a, b) => order[a] - order[b]);
	const sort = panel.options.sortBy[0], by = Object.keys(names).find((name) => names[name] === sort.displayName);
	const sorted = [...rows.values()].sort((a, b) => (sort.desc ? -1 : 1) * (typeof a[by] === 'number' || typeof b[by] === 'number'
		? (a[by] ?? -Infinity) - (b[by] ?? -Infinity) : String(a[by]).localeCompare(String(b[by]))));
	const table = element(body, 'table'), head = element(table, 'tr');
	for (const name of columns) element(head, 'th', name.startsWith('Value') ? {class: 'number'} : {}, names[name]);
	for (const row of sorted) {
		const line = element(table, 'tr');
		for (const name of columns) {
			const config = {unit: 'short'};
			for (const override of panel.fieldConfig.overrides)
				if (override.matcher.options === names[name]) for (const one of override.properties) config[one.id] = one.value;
			drawCell(line, name, row[name], config);
		}
	}
}

function drawCell(line, name, value, config) {
	if (!name.startsWith('Value')) return void element(element(line, 'td'), config.links ? 'a' : 'span', {}, value && mapped(config, value) ? mapped(config, value).text : value || '');
	const cell = element(line, 'td', {class: 'number'}), look = config['custom.cellOptions'] || {};
	if (value === undefined) return;
	const meaning = mapped(config, value), text = meaning ? meaning.text : shown(value, config.unit, config.decimals);
	if (look.type === 'gauge') {
		element(element(cell, 'div', {class: 'track'}), 'div', {style: `width:${100 * Math.min(1, Math.max(0, value))}%`});
		element(cell, 'span', {class: 'label'}, text);
	} else {
		cell.textContent = text;
		if (look.type === 'color-text') cell.style.color = meaning ? colour(meaning.color) : threshold(config, value);
	}
}

const kinds = {stat: drawStat, bargauge: drawBars, timeseries: drawGraph, heatmap: drawHeatmap, 'state-timeline': drawTimeline, table: drawTable};

const header = element(document.body, 'header');
element(header, 'span', {}, board.title);
for (const [label, value] of Object.entries(data.variables)) {
	const box = element(header, 'span', {class: 'variable'});
	element(box, 'b', {}, label);
	box.appendChild(document.createTextNode(value));
}
const wide = (sizes.width - 2 * sizes.gap + sizes.gap) / 24, high = sizes.cell + sizes.gap;
for (const panel of board.panels) {
	const {x, y, w, h} = panel.gridPos;
	const place = `left:${sizes.gap + x * wide}px;top:${sizes.head + y * high}px;width:${w * wide - sizes.gap - 2}px;height:${h * high - sizes.gap - 2}px`;
	const title = [['$jobid', 'Job'], ['$user', 'User'], ['$account', 'Account']].reduce((text, [name, label]) => text.replace(name, data.variables[label]), panel.title);
	if (panel.type === 'row') {
		element(document.body, 'div', {class: 'row', style: place}, `${panel.collapsed ? '›' : '⌄'} ${title}`);
		continue;
	}
	const box = element(document.body, 'div', {class: 'panel', style: place});
	element(box, 'h2', {}, title);
	const body = element(box, 'div', {class: 'body'});
	const hasData = data.panels[panel.id].some((result) => result.length);
	if (hasData) kinds[panel.type](panel, body);
	else element(body, 'div', {class: 'none', style: 'height:100%'}, panel.fieldConfig.defaults.noValue);
}
