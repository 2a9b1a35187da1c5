// Answers in words: why something is unknown, what a proof rests on, what an answer says in general.

function section(title, ...content) {
  const body = content.flat(Infinity).filter((part) => part !== null && part !== undefined && part !== false && part !== '');
  return body.length ? h('section', null, h('h3', null, title), body) : null;
}

function list(items) {
  return items.length ? h('ul', null, items.map((item) => h('li', null, item))) : null;
}

/** Why the value is open, and what to do about it. */
class WhyView {
  constructor(page, result, detail) {
    const open = detail.open || {};
    this.element = h('div', { class: 'prose' },
      section('What is open', list((detail.explanations || []).map(sentence))),
      section('How the question gets there', this.play(page, result)),
      section('Two ways it can go', this.pair(open.samples || []), this.completions(result)),
      section('Conditions that no predicate tells', list((open.missing || []).map((text) => h('code', null, text)))),
      section('If that were decided', this.variants(open.variants || [])),
      section('What would decide it', list((result.decide || []).map(sentence))),
      section('Commands to try next, best first', (result.next || []).map(command)),
      section('Already established', this.established(page, result)));
  }

  play(page, result) {
    if (!result.open || !result.open.play.length) return null;
    const rows = result.open.play.map((entry, at) => h('tr', { class: result.open.loop === at ? 'pinned' : '' },
      h('td', { class: 'quiet' }, at), h('td', null, entry.state), h('td', null, entry.formula),
      h('td', { class: 'words quiet' }, (entry.asks ? 'is it true?' : 'is it false?') + (result.open.loop === at ? '  ↻ the loop begins here' : ''))));
    return h('table', null, h('thead', null, h('tr', null, ['', 'state', 'sub-formula', 'asked'].map((text) => h('th', { scope: 'col' }, text)))), h('tbody', null, rows));
  }

  pair(samples) {
    if (!samples.length) return null;
    const card = (sample) => h('div', { class: 'card ' + sample.kind }, h('h4', null, sentence(sample.title)), sample.text && h('p', null, sample.text),
      h('table', null, h('tbody', null, Object.entries(sample.values || {}).map(([name, value]) => h('tr', null, h('td', null, name), h('td', null, value))))));
    return h('div', { class: 'pair' }, samples.map(card));
  }

  variants(variants) {
    if (!variants.length) return null;
    return h('table', null, h('thead', null, h('tr', null, h('th', null, 'if'), h('th', null, 'then the property is'))),
      h('tbody', null, variants.map((variant) => h('tr', null, h('td', { class: 'words' }, variant.change), h('td', null, chip({ value: variant.value }))))));
  }

  completions(result) {
    const found = result.evidence.completions || [];
    if (!found.length) return null;
    return h('div', { class: 'pair' }, found.map((entry) => h('div', { class: 'card ' + entry.value },
      h('h4', null, 'A completion in which it is ' + entry.value), h('p', null, plural(entry.states, 'state') + ', ' + plural(entry.transitions, 'transition')), entry.file && h('code', null, entry.file))));
  }

  established(page, result) {
    const others = page.data.report.results.filter((other) => other !== result && !other.stopped && (other.value === 'true' || other.value === 'false'));
    return list(others.slice(0, 12).map((other) => [chip(other), ' ', other.name, ': ', h('code', null, other.formula)]));
  }

  key() { return false; }
  leave() {}
}

/** What a true answer rests on. */
class ProofView {
  constructor(page, result, detail) {
    const proof = detail.proof || {};
    const words = h('div', { class: 'prose' },
      section('What was shown', (proof.summary || []).map((line) => h('p', null, sentence(line)))),
      section('Certificate', this.certificate(page, result)),
      section('Invariant', this.invariant(proof.invariant_summary || [], proof.invariant || [])),
      section('Predicates', list((proof.predicates || []).map((text) => h('code', null, text)))),
      section('Strategy', this.strategy(proof.strategy || [])),
      section('Statements', this.coverage(page)));
    const coverage = page.data.coverage;
    if (!coverage || !coverage.lines.length) this.element = words;
    else {
      const marks = {};
      for (const line of coverage.lines) marks[line.line] = { kind: line.status === 'taken' ? 'done' : 'idle', title: line.status };
      this.source = sourcePane(page.data.sources || [], 'Statement coverage', marks);
      this.element = h('div', { class: 'two' }, words, this.source.element);
    }
  }

  certificate(page, result) {
    const evidence = result.evidence;
    if (!evidence.file) return [h('p', { class: 'quiet' }, evidence.kind === 'none' ? 'None was kept. ' : 'Kind: ' + evidence.kind + (evidence.checked ? ', accepted by the independent checker. ' : '. ')), command('tertium check ' + page.data.report.input.file + ' --evidence proofs')];
    return [h('p', null, evidence.kind + (evidence.checked ? ', accepted by the independent checker: ' : ': '), h('code', null, evidence.file)),
      evidence.file.endsWith('.cert.json') && command('tertium certify ' + page.data.report.input.file + ' ' + evidence.file)];
  }

  /** In few lines where there are some, with the whole list below. */
  invariant(summary, parts) {
    if (!parts.length) return null;
    const table = (rows) => h('table', null, h('thead', null, h('tr', null, h('th', null, 'where'), h('th', null, 'what always holds'))),
      h('tbody', null, rows.map((part) => h('tr', null, h('td', null, part.at), h('td', null, part.holds)))));
    if (!summary.length) return table(parts);
    return [table(summary), h('details', { id: 'all-rows' }, h('summary', null, 'all ' + parts.length + ' rows that the proof rests on'), table(parts))];
  }

  strategy(parts) {
    if (!parts.length) return null;
    return h('table', null, h('thead', null, h('tr', null, h('th', null, 'from'), h('th', null, 'go to'))),
      h('tbody', null, parts.map((part) => h('tr', null, h('td', null, part.from), h('td', null, part.to)))));
  }

  coverage(page) {
    const coverage = page.data.coverage;
    if (!coverage) return null;
    const idle = coverage.lines.filter((line) => line.status !== 'taken');
    if (!coverage.complete) return h('p', null, 'Not every state was visited, so it is not known which statements are never taken.');
    if (!idle.length) return h('p', null, 'Every statement is taken in some run: nothing in the program is idle.');
    return [h('p', null, plural(idle.length, 'statement') + ' is or are never taken. A proof says nothing about what never happens:'),
      list(idle.map((line) => ['line ' + line.line + ': ', h('code', null, line.text), ' is ' + line.status]))];
  }

  key() { return false; }
  leave() {}
}

/** Everything else there is to say. */
class DetailsView {
  constructor(page, result) {
    const row = (name, value) => (value === undefined || value === null || value === '' ? null : h('tr', null, h('td', { class: 'words' }, name), h('td', null, value)));
    const stats = result.stats;
    // Reports of version 1 have the engine alone.
    const from = result.provenance || { engine: result.engine };
    const table = (entries, heads) => h('table', null, h('thead', null, h('tr', null, heads.map((text) => h('th', null, text)))), h('tbody', null, entries));
    this.element = h('div', { class: 'prose' },
      section('Property', h('table', null, h('tbody', null, row('name', result.name), row('formula', result.formula), row('logic', result.logic), row('value', result.value), row('expected', result.expected), row('decided at', result.state), row('ended early by', result.stopped)))),
      section('For which parameters', result.condition && table(Object.entries(result.condition).map(([value, when]) => h('tr', null, h('td', null, value), h('td', null, when))), ['value', 'if and only if'])),
      section('Value at every state', result.per_state && table(Object.entries(result.per_state).slice(0, 2000).map(([state, value]) => h('tr', null, h('td', null, state), h('td', null, value))), ['state', 'value'])),
      section('How it was decided', h('table', null, h('tbody', null, row('engine', from.engine), row('technique', from.technique), row('reduction', from.reduction), row('semantics', result.reading.semantics), row('deadlocks', result.reading.deadlock), row('linear reading', result.reading.ltl),
        row('states', stats.states), row('transitions', stats.transitions), row('predicates', stats.predicates || null), row('refinements', stats.refinements || null), row('calls of the solver', stats.solver_calls || null), row('time', stats.time_ms + ' ms')))),
      section('Commands', (result.next || []).map(command)),
      section('As a document', h('button', { onclick: () => download(result.name.replace(/\W+/g, '_') + '.json', 'application/json', JSON.stringify(result, null, 1)) }, 'save this result as JSON')));
  }

  key() { return false; }
  leave() {}
}
