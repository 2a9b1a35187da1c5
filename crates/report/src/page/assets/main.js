// The page: results on the left, the chosen one on the right, everything reachable by keyboard.

const TABS = [
  { id: 'run', title: 'Run', fixed: true, make: RunView, has: (result) => Boolean(result.evidence && result.evidence.run) },
  { id: 'live', title: 'Simulate', fixed: true, make: LiveView, has: (result, detail, data) => Boolean(data.live) },
  { id: 'why', title: 'Why unknown', make: WhyView, has: (result) => ['unknown', 'both'].includes(result.value) || Boolean(result.stopped) },
  { id: 'proof', title: 'Proof', fixed: true, make: ProofView, has: (result, detail) => !detail.rounds_of && result.value === 'true' && !result.stopped && Boolean(detail.proof || result.evidence.kind !== 'none') },
  { id: 'graph', title: 'Graph', fixed: true, make: GraphView, has: (result, detail, data) => Number.isInteger(detail.graph) && Boolean((data.graphs || [])[detail.graph]) },
  { id: 'details', title: 'Details', make: DetailsView, has: () => true },
];

const KEYS = [
  ['↓ j  ↑ k', 'next and previous step (or state of the graph with j and k)'], ['Home g  End G', 'first and last step'], ['PgUp PgDn', 'twenty steps'],
  ['[  ]', 'previous and next property'], ['1 – 5', 'the tabs'], ['/', 'filter variables, find a state'], ['v', 'show some processes and variables of a run only'], ['p', 'pin an expression'], ['x', 'simulator: go on from this step; there: a step by chance'], ['1 – 9  b  r  n  u', 'in the simulator: take a step, back, reset, next of the run, run until'], ['c', 'changed values only'],
  ['arrows  + − 0  e', 'in a graph: move, zoom, show all, expand'], ['t', 'light or dark'], ['?', 'this list'], ['Esc', 'back to the list, close'],
];

class Page {
  constructor(data, root) {
    this.data = data;
    this.root = root;
    this.pins = [];
    this.state = {};
    this.view = null;
    root.append(this.top(), this.sidebar(), h('main', { id: 'main' }));
    this.main = root.querySelector('#main');
    document.addEventListener('keydown', (event) => this.key(event));
    addEventListener('hashchange', () => this.follow());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.repaint());
    this.follow();
  }

  top() {
    const input = this.data.report.input;
    this.help = h('dialog', { 'aria-label': 'keys' }, h('h2', null, 'Keys'),
      h('table', null, h('tbody', null, KEYS.map(([keys, what]) => h('tr', null, h('td', null, keys.split('  ').map((key, at) => [at ? ' ' : '', h('kbd', null, key)])), h('td', { class: 'words' }, what))))),
      h('form', { method: 'dialog', style: 'margin-top:10px' }, h('button', { onclick: (event) => { event.preventDefault(); this.help.close(); } }, 'close')));
    return h('header', { class: 'top' }, h('h1', null, input.file), h('span', { class: 'grow' }, this.data.description || input.kind),
      h('span', { class: 'quiet' }, 'tertium ' + this.data.report.tool.version),
      h('button', { onclick: () => { theme.toggle(); this.repaint(); }, 'aria-label': 'light or dark', title: 'light or dark (t)', id: 'theme' }, '◐'),
      h('button', { onclick: () => this.help.showModal(), 'aria-label': 'keys', title: 'keys (?)', id: 'help' }, '?'), this.help);
  }

  sidebar() {
    const results = this.data.report.results;
    const counts = new Map();
    for (const result of results) {
      const word = result.stopped ? 'stopped' : result.value;
      counts.set(word, (counts.get(word) || 0) + 1);
    }
    const chips = [...counts].map(([word, count]) => h('span', { class: 'chip ' + (SIGNS[word] ? word : 'other') }, count + ' ' + word));
    this.buttons = results.map((result, at) => h('button', { onclick: () => this.open(at), 'data-result': at }, chip(result), ' ', h('strong', null, result.name), h('span', { class: 'formula' }, result.formula)));
    const warnings = (this.data.report.warnings || []).map((warning) => h('p', { class: 'warning' }, warning.code + ': ' + warning.message));
    return h('nav', { class: 'side', 'aria-label': 'results' }, h('div', { class: 'counts' }, chips), h('ul', null, this.buttons.map((button) => h('li', null, button))), warnings);
  }

  /** What the address says. */
  follow() {
    const found = address.read();
    const count = this.data.report.results.length;
    if (!count) { this.main.replaceChildren(h('p', { class: 'empty' }, 'There is no result in this report.')); return; }
    const rank = (result) => ({ false: 0, both: 1, other: 2, unknown: 3, stopped: 4, true: 5 }[kindOf(result)]);
    const worst = this.data.report.results.reduce((best, result, at, all) => (rank(result) < rank(all[best]) ? at : best), 0);
    this.open(within(found.r, 0, count - 1, worst), found.tab, found.step, found.state);
  }

  open(at, tab, step, state) {
    const result = this.data.report.results[at];
    const detail = (this.data.details || [])[at] || {};
    this.at = at;
    this.buttons.forEach((button, number) => button.setAttribute('aria-current', String(number === at)));
    this.buttons[at].scrollIntoView({ block: 'nearest' });
    this.tabs = TABS.filter((entry) => entry.has(result, detail, this.data));
    this.strip = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'views of this result' }, this.tabs.map((entry) => h('button', { role: 'tab', id: 'tab-' + entry.id, onclick: () => this.show(entry.id) }, entry.title)));
    this.panel = h('div', { role: 'tabpanel' });
    this.main.replaceChildren(this.heading(result, detail), this.strip, this.panel);
    this.state = { r: at };
    const wanted = this.tabs.some((entry) => entry.id === tab) ? tab : this.tabs[0].id;
    this.show(wanted, step, state);
  }

  heading(result, detail) {
    const kind = kindOf(result);
    const lines = (detail.headline || []).map((line) => h('p', null, sentence(line)));
    return h('div', { class: 'head' },
      h('div', { class: 'title' }, chip(result), h('h2', null, result.name), h('span', { class: 'formula' }, result.formula)),
      lines.length ? h('div', { class: 'cause ' + kind, id: 'cause' }, lines) : null,
      result.expected && result.expected !== result.value ? h('p', { class: 'warning' }, 'expected ' + result.expected) : null,
      (result.warnings || []).map((warning) => h('p', { class: 'warning' }, warning.code + ': ' + warning.message)));
  }

  show(id, step, state) {
    const entry = this.tabs.find((tab) => tab.id === id);
    if (this.view) this.view.leave();
    const detail = (this.data.details || [])[this.at] || {};
    this.view = new entry.make(this, this.data.report.results[this.at], detail);
    for (const button of this.strip.children) button.setAttribute('aria-selected', String(button.id === 'tab-' + id));
    this.panel.className = 'panel' + (entry.fixed ? ' fixed' : '');
    this.panel.setAttribute('aria-labelledby', 'tab-' + id);
    this.panel.replaceChildren(this.view.element);
    this.state = { r: this.at, tab: id };
    if (this.view instanceof RunView && !(this.view instanceof LiveView)) {
      const last = this.view.count - 1;
      this.view.select(within(step, 0, last, last));
    } else if (this.view instanceof GraphView && state) {
      const found = this.view.graph.states.indexOf(state);
      if (found >= 0) this.view.choose(found, false);
    }
    this.remember({});
  }

  /** The address follows, but not faster than a person reads: writing it costs more than a step. */
  remember(values) {
    this.state = { ...this.state, ...values };
    if (this.later) return;
    address.write(this.state);
    this.later = setTimeout(() => { this.later = null; address.write(this.state); }, 150);
  }

  /** Goes on from a step of the run that is shown, in the simulator. */
  goOn(at) {
    const result = this.at;
    this.show('live');
    this.view.ask({ do: 'along', result, to: at });
  }

  repaint() { if (this.view && this.view.draw) this.view.draw(); }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    const typing = ['INPUT', 'SELECT', 'TEXTAREA'].includes(event.target.tagName) && event.target.type !== 'range';
    if (event.key === 'Escape') { document.activeElement.blur(); return; }
    if (typing) return;
    const results = this.data.report.results.length;
    if (event.key === '?') this.help.showModal();
    else if (event.key === 't') { theme.toggle(); this.repaint(); }
    else if (event.key === '[' && this.at > 0) this.open(this.at - 1);
    else if (event.key === ']' && this.at + 1 < results) this.open(this.at + 1);
    else if (this.view instanceof LiveView && event.target.type !== 'range' && this.view.key(event)) { event.preventDefault(); return; }
    else if (/^[1-9]$/.test(event.key) && this.tabs && this.tabs[Number(event.key) - 1]) this.show(this.tabs[Number(event.key) - 1].id);
    else if (event.target.type === 'range') return;
    else if (!this.view || !this.view.key(event)) return;
    event.preventDefault();
  }
}

theme.start();
const embedded = JSON.parse(document.getElementById('data').textContent);
window.tertium = new Page(embedded, document.getElementById('app'));
