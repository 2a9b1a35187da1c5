// A client of the language server protocol, as much of it as `tertium lsp` speaks: no package is needed.
"use strict";

const { spawn } = require("child_process");
const vscode = require("vscode");

const LANGUAGES = ["gcl", "promela", "kmts"];
const SELECTOR = LANGUAGES.map((language) => ({ language }));

/** Positions and places in the words of the protocol and of the editor. */
const position = (at) => ({ line: at.line, character: at.character });
const toRange = (range) => new vscode.Range(range.start.line, range.start.character, range.end.line, range.end.character);
const toLocation = (location) => new vscode.Location(vscode.Uri.parse(location.uri), toRange(location.range));
const toEdits = (edits) => edits.map((edit) => new vscode.TextEdit(toRange(edit.range), edit.newText));

function toWorkspaceEdit(edit) {
  const all = new vscode.WorkspaceEdit();
  for (const [uri, edits] of Object.entries(edit.changes || {})) all.set(vscode.Uri.parse(uri), toEdits(edits));
  return all;
}

function toDiagnostic(told) {
  const diagnostic = new vscode.Diagnostic(toRange(told.range), told.message, told.severity - 1);
  diagnostic.source = told.source;
  const page = told.codeDescription && told.codeDescription.href;
  if (told.code) diagnostic.code = page ? { value: told.code, target: vscode.Uri.parse(page) } : told.code;
  diagnostic.relatedInformation = (told.relatedInformation || []).map((related) => new vscode.DiagnosticRelatedInformation(toLocation(related.location), related.message));
  return diagnostic;
}

/** Splits what a server says into messages. */
class Reader {
  constructor(take) {
    this.take = take;
    this.bytes = Buffer.alloc(0);
  }

  add(chunk) {
    this.bytes = Buffer.concat([this.bytes, chunk]);
    for (;;) {
      const end = this.bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = /content-length: *(\d+)/i.exec(this.bytes.toString("latin1", 0, end));
      const from = end + 4;
      const size = length ? Number(length[1]) : 0;
      if (this.bytes.length < from + size) return;
      const text = this.bytes.toString("utf8", from, from + size);
      this.bytes = this.bytes.subarray(from + size);
      if (size) this.take(JSON.parse(text));
    }
  }
}

class Client {
  constructor(command, options, output) {
    this.command = command;
    this.options = options;
    this.output = output;
    this.counter = 0;
    this.waiting = new Map();
    this.versions = new Map();
    this.progress = new Map();
    this.renewed = new vscode.EventEmitter();
    this.diagnostics = vscode.languages.createDiagnosticCollection("tertium");
    this.registered = [this.diagnostics, this.renewed];
  }

  /** Starts the server; rejects if it cannot be started. */
  async start() {
    this.process = spawn(this.command, ["lsp"], { stdio: ["pipe", "pipe", "pipe"] });
    const gone = new Promise((_, reject) => {
      this.process.on("error", reject);
      this.process.on("exit", (code) => reject(new Error(`it ended with ${code}`)));
    });
    gone.catch((error) => this.end(error));
    this.process.stdin.on("error", () => {});
    this.process.stderr.on("data", (text) => this.output.append(text.toString()));
    const reader = new Reader((message) => this.receive(message));
    this.process.stdout.on("data", (chunk) => reader.add(chunk));
    const capabilities = { window: { workDoneProgress: true }, workspace: { codeLens: { refreshSupport: true } } };
    const asked = this.request("initialize", { processId: process.pid, rootUri: null, capabilities, initializationOptions: this.options });
    const { capabilities: known } = await Promise.race([asked, gone]);
    this.notify("initialized", {});
    this.register(known);
    vscode.workspace.textDocuments.forEach((document) => this.opened(document));
  }

  /** Ends the server and forgets what it said. */
  async stop() {
    const running = this.process;
    this.registered.forEach((one) => one.dispose());
    if (!running || running.exitCode !== null) return;
    const over = new Promise((resolve) => running.on("exit", resolve));
    await Promise.race([this.request("shutdown", null).catch(() => {}), over]);
    this.notify("exit", null);
    const patience = setTimeout(() => running.kill(), 2000);
    await over;
    clearTimeout(patience);
  }

  end(error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }

  send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  notify(method, params) { this.send({ method, params }); }

  request(method, params, token) {
    const id = (this.counter += 1);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      if (token) token.onCancellationRequested(() => this.notify("$/cancelRequest", { id }));
      this.send({ id, method, params });
    });
  }

  /** The answer to a question about a place or a text; nothing if the server has none. */
  async about(method, document, more, token) {
    if (!this.versions.has(document.uri.toString())) this.opened(document);
    try {
      return await this.request(method, { textDocument: { uri: document.uri.toString() }, ...more }, token);
    } catch (error) {
      this.output.appendLine(`${method}: ${error.message}`);
      return null;
    }
  }

  receive(message) {
    if (message.method === undefined) {
      const asked = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (!asked) return;
      if (message.error) asked.reject(new Error(message.error.message));
      else asked.resolve(message.result);
    } else if (message.id !== undefined) {
      if (message.method === "workspace/codeLens/refresh") this.renewed.fire();
      this.send({ id: message.id, result: null });
    } else this.told(message.method, message.params);
  }

  told(method, params) {
    if (method === "textDocument/publishDiagnostics") this.diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(toDiagnostic));
    else if (method === "window/logMessage") this.output.appendLine(params.message);
    else if (method === "window/showMessage") (params.type <= 2 ? vscode.window.showWarningMessage : vscode.window.showInformationMessage)(params.message);
    else if (method === "$/progress") this.showProgress(params.token, params.value);
  }

  /** A check in the status bar, which can be stopped there. */
  showProgress(token, value) {
    if (value.kind === "begin") {
      const options = { location: vscode.ProgressLocation.Notification, title: `Tertium: ${value.title}`, cancellable: true };
      vscode.window.withProgress(options, (progress, cancel) => new Promise((resolve) => {
        cancel.onCancellationRequested(() => this.notify("window/workDoneProgress/cancel", { token }));
        this.progress.set(token, { progress, resolve });
      }));
      return;
    }
    const shown = this.progress.get(token);
    if (!shown) return;
    if (value.kind === "report") shown.progress.report({ message: value.message });
    else {
      this.progress.delete(token);
      shown.resolve();
    }
  }

  opened(document) {
    const uri = document.uri.toString();
    if (!LANGUAGES.includes(document.languageId) || this.versions.has(uri)) return;
    this.versions.set(uri, document.version);
    this.notify("textDocument/didOpen", { textDocument: { uri, languageId: document.languageId, version: document.version, text: document.getText() } });
  }

  changed(event) {
    const uri = event.document.uri.toString();
    if (!this.versions.has(uri) || !event.contentChanges.length) return;
    const contentChanges = event.contentChanges.map((change) => ({ range: { start: position(change.range.start), end: position(change.range.end) }, text: change.text }));
    this.notify("textDocument/didChange", { textDocument: { uri, version: event.document.version }, contentChanges });
  }

  closed(document) {
    const uri = document.uri.toString();
    if (this.versions.delete(uri)) this.notify("textDocument/didClose", { textDocument: { uri } });
  }

  /** Everything that the editor asks the server. */
  register(known) {
    const ask = (method, document, more, token) => this.about(`textDocument/${method}`, document, more, token);
    const at = (place) => ({ position: position(place) });
    const list = (found, make) => (found || []).map(make);
    const symbol = (found) => {
      const made = new vscode.DocumentSymbol(found.name, found.detail || "", found.kind - 1, toRange(found.range), toRange(found.selectionRange));
      made.children = list(found.children, symbol);
      return made;
    };
    const { languages, workspace } = vscode;
    const legend = known.semanticTokensProvider.legend;
    this.registered.push(
      workspace.onDidOpenTextDocument((document) => this.opened(document)),
      workspace.onDidChangeTextDocument((event) => this.changed(event)),
      workspace.onDidCloseTextDocument((document) => this.closed(document)),
      vscode.commands.registerCommand("tertium.check", (uri, name) => this.check(uri, name)),
      languages.registerHoverProvider(SELECTOR, { provideHover: async (document, place, token) => {
        const found = await ask("hover", document, at(place), token);
        return found && new vscode.Hover(new vscode.MarkdownString(found.contents.value), toRange(found.range));
      } }),
      languages.registerDefinitionProvider(SELECTOR, { provideDefinition: async (document, place, token) => {
        const found = await ask("definition", document, at(place), token);
        return found && toLocation(found);
      } }),
      languages.registerReferenceProvider(SELECTOR, { provideReferences: async (document, place, context, token) => list(await ask("references", document, { ...at(place), context }, token), toLocation) }),
      languages.registerDocumentHighlightProvider(SELECTOR, { provideDocumentHighlights: async (document, place, token) => list(await ask("documentHighlight", document, at(place), token), (found) => new vscode.DocumentHighlight(toRange(found.range))) }),
      languages.registerDocumentSymbolProvider(SELECTOR, { provideDocumentSymbols: async (document, token) => list(await ask("documentSymbol", document, {}, token), symbol) }),
      languages.registerRenameProvider(SELECTOR, {
        prepareRename: async (document, place, token) => {
          const found = await this.request("textDocument/prepareRename", { textDocument: { uri: document.uri.toString() }, ...at(place) }, token);
          return { range: toRange(found.range), placeholder: found.placeholder };
        },
        provideRenameEdits: async (document, place, newName, token) => toWorkspaceEdit(await this.request("textDocument/rename", { textDocument: { uri: document.uri.toString() }, ...at(place), newName }, token)),
      }),
      languages.registerCompletionItemProvider(SELECTOR, { provideCompletionItems: async (document, place, token) => {
        const found = await ask("completion", document, at(place), token);
        return list(found && found.items, (item) => Object.assign(new vscode.CompletionItem(item.label, item.kind - 1), { detail: item.detail }));
      } }, ...known.completionProvider.triggerCharacters),
      languages.registerDocumentFormattingEditProvider(SELECTOR, { provideDocumentFormattingEdits: async (document, options, token) => toEdits((await ask("formatting", document, { options }, token)) || []) }),
      languages.registerCodeActionsProvider(SELECTOR, { provideCodeActions: async (document, range, _context, token) => {
        const wanted = { range: { start: position(range.start), end: position(range.end) }, context: { diagnostics: [] } };
        return list(await ask("codeAction", document, wanted, token), (found) => {
          const action = new vscode.CodeAction(found.title, vscode.CodeActionKind.QuickFix);
          action.edit = toWorkspaceEdit(found.edit);
          action.isPreferred = found.isPreferred;
          return action;
        });
      } }),
      languages.registerCodeLensProvider(SELECTOR, { onDidChangeCodeLenses: this.renewed.event, provideCodeLenses: async (document, token) => list(await ask("codeLens", document, {}, token), (found) => new vscode.CodeLens(toRange(found.range), found.command)) }),
      languages.registerDocumentSemanticTokensProvider(SELECTOR, { provideDocumentSemanticTokens: async (document, token) => {
        const found = await ask("semanticTokens/full", document, {}, token);
        return found && new vscode.SemanticTokens(new Uint32Array(found.data));
      } }, new vscode.SemanticTokensLegend(legend.tokenTypes, legend.tokenModifiers)),
    );
  }

  /** Checks a property, or everything, of a text. */
  async check(uri, name) {
    try {
      return await this.request("workspace/executeCommand", { command: "tertium.check", arguments: name === undefined ? [uri] : [uri, name] });
    } catch (error) {
      vscode.window.showErrorMessage(`Tertium: ${error.message}`);
      return null;
    }
  }
}

module.exports = { Client, Reader, LANGUAGES };
