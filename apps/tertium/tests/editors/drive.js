// The extension in an editor that only pretends to be one: `node drive.js EXTENSION TERTIUM MODEL`. What a person would see is compared; the server is the real one.
"use strict";

const assert = require("assert");
const fs = require("fs");
const Module = require("module");
const path = require("path");

const [extension, tertium, model] = process.argv.slice(2);

class Emitter {
  constructor() {
    this.listeners = [];
    this.event = (listener) => { this.listeners.push(listener); return { dispose() {} }; };
  }
  fire(value) { this.listeners.forEach((listener) => listener(value)); }
  dispose() {}
}
class Range { constructor(a, b, c, d) { this.start = { line: a, character: b }; this.end = { line: c, character: d }; } }
const holder = (...names) => class { constructor(...values) { names.forEach((name, at) => { this[name] = values[at]; }); } };

const document = {
  uri: { toString: () => "file://" + model, fsPath: model }, languageId: "gcl", version: 1,
  getText: () => fs.readFileSync(model, "utf8"), save: async () => true,
};
const providers = {};
const commands = {};
const shown = [];
const events = { opened: new Emitter(), changed: new Emitter(), closed: new Emitter() };
const diagnostics = new Map();
const register = (name) => (_selector, provider, ...more) => { providers[name] = provider; providers[name + " more"] = more; return { dispose() {} }; };
const progress = (_options, work) => work({ report() {} }, { onCancellationRequested() {} });
let panel = null;
const vscode = {
  Range, EventEmitter: Emitter,
  Location: holder("uri", "range"), TextEdit: holder("range", "newText"), Diagnostic: holder("range", "message", "severity"),
  DiagnosticRelatedInformation: holder("location", "message"), Hover: holder("contents", "range"), MarkdownString: holder("value"),
  DocumentHighlight: holder("range"), DocumentSymbol: holder("name", "detail", "kind", "range", "selectionRange"), CompletionItem: holder("label", "kind"),
  CodeAction: holder("title", "kind"), CodeActionKind: { QuickFix: "quickfix" }, CodeLens: holder("range", "command"),
  SemanticTokens: holder("data"), SemanticTokensLegend: holder("types", "modifiers"),
  WorkspaceEdit: class { constructor() { this.all = []; } set(uri, edits) { this.all.push([uri, edits]); } },
  Uri: { parse: (text) => ({ toString: () => text, fsPath: text.replace("file://", "") }) },
  ProgressLocation: { Notification: 15 }, ViewColumn: { Beside: -2 },
  commands: { registerCommand: (name, run) => { commands[name] = run; return { dispose() {} }; } },
  workspace: {
    textDocuments: [document], openTextDocument: async () => document,
    getConfiguration: () => ({ get: (name, otherwise) => (name === "path" ? tertium : otherwise) }),
    onDidOpenTextDocument: events.opened.event, onDidChangeTextDocument: events.changed.event, onDidCloseTextDocument: events.closed.event,
  },
  window: {
    activeTextEditor: { document }, withProgress: progress,
    createOutputChannel: () => ({ append() {}, appendLine() {}, dispose() {} }),
    createWebviewPanel: (kind, title) => { panel = { kind, title, webview: { html: "" } }; return panel; },
    createTerminal: (options) => ({ options, show() { shown.push(options.shellArgs.join(" ")); } }),
    showErrorMessage: (text) => shown.push("error: " + text), showWarningMessage: (text) => shown.push(text), showInformationMessage: (text) => shown.push(text),
  },
  languages: {
    createDiagnosticCollection: () => ({ set: (uri, told) => diagnostics.set(uri.toString(), told), dispose() {} }),
    registerHoverProvider: register("hover"), registerDefinitionProvider: register("definition"), registerReferenceProvider: register("references"),
    registerDocumentHighlightProvider: register("highlight"), registerDocumentSymbolProvider: register("symbols"), registerRenameProvider: register("rename"),
    registerCompletionItemProvider: register("completion"), registerDocumentFormattingEditProvider: register("formatting"), registerCodeActionsProvider: register("actions"),
    registerCodeLensProvider: register("lenses"), registerDocumentSemanticTokensProvider: register("tokens"),
  },
};
const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));

/** Line and character of the first place of a text in the model. */
function place(text) {
  const before = document.getText().slice(0, document.getText().indexOf(text)).split("\n");
  return { line: before.length - 1, character: before[before.length - 1].length };
}

async function until(what, condition) {
  for (let turn = 0; turn < 6000; turn += 1) {
    if (condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(what);
}

async function main() {
  const { activate, deactivate } = require(path.join(extension, "extension.js"));
  await activate({ subscriptions: [] });
  await until("diagnostics", () => diagnostics.has("file://" + model));
  assert.deepStrictEqual(diagnostics.get("file://" + model), []);
  // A name, and a word of the language.
  assert.match((await providers.hover.provideHover(document, place("want1"))).contents.value, /var want1/);
  assert.match((await providers.hover.provideHover(document, place("await"))).contents.value, /waits: the step is possible only while/);
  const defined = await providers.definition.provideDefinition(document, place("want1 := true"));
  assert.deepStrictEqual(defined.range.start, place("want1"));
  assert.ok((await providers.references.provideReferences(document, place("want1"), { includeDeclaration: true })).length >= 4);
  assert.deepStrictEqual((await providers.symbols.provideDocumentSymbols(document)).map((found) => found.name).slice(-2), ["mutex", "enters"]);
  assert.ok((await providers.completion.provideCompletionItems(document, { line: place("want1 := true").line, character: 10 })).some((item) => item.label === "want2"));
  const renamed = await providers.rename.provideRenameEdits(document, place("want1"), "wish");
  assert.ok(renamed.all[0][1].length >= 4 && renamed.all[0][1].every((edit) => edit.newText === "wish"));
  assert.deepStrictEqual(await providers.formatting.provideDocumentFormattingEdits(document, {}), []);
  // Colours: the first tokens are the name of the system and the two variables.
  const { data } = await providers.tokens.provideDocumentSemanticTokens(document);
  const legend = providers["tokens more"][0];
  const first = [0, 1, 2].map((at) => legend.types[data[5 * at + 3]]);
  assert.deepStrictEqual(first, ["namespace", "variable", "variable"]);
  // Check from a lens: the counterexample's steps can be gone to.
  const lenses = await providers.lenses.provideCodeLenses(document);
  assert.deepStrictEqual(lenses.map((lens) => lens.command.title).slice(0, 2), ["check everything", "show the page"]);
  const told = await commands["tertium.check"]("file://" + model, "enters");
  assert.strictEqual(told.results[0].value, "false");
  await until("a marked property", () => diagnostics.get("file://" + model).length === 1);
  const [marked] = diagnostics.get("file://" + model);
  assert.ok(marked.relatedInformation.length >= 2);
  assert.match(marked.relatedInformation[0].message, /^step 1: [PQ]: want[12] := true {3}want[12]=true/);
  const line = document.getText().split("\n")[marked.relatedInformation[0].location.range.start.line];
  assert.match(line, /want[12] := true/);
  // The page inside the editor, and the simulator beside it.
  await commands["tertium.page"]("file://" + model);
  assert.ok(panel && panel.webview.html.includes("id=\"data\"") && panel.title.includes("claim.gcl"), JSON.stringify(shown));
  await commands["tertium.simulate"]();
  assert.ok(shown.includes(`view ${model} --live -q`), JSON.stringify(shown));
  // Typing: a mistake is marked where it is.
  document.version = 2;
  events.changed.fire({ document, contentChanges: [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: "nonsense\n" }] });
  await until("a mistake", () => diagnostics.get("file://" + model).some((found) => found.severity === 0 && found.range.start.line === 0));
  await deactivate();
}

main().then(() => process.exit(0), (error) => {
  console.error(error);
  process.exit(1);
});
