// Starts `tertium lsp` (client.js), and shows the page of a model inside the editor.
"use strict";

const { execFile } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const vscode = require("vscode");
const { Client, LANGUAGES } = require("./client");

let client;
let output;

const settings = () => vscode.workspace.getConfiguration("tertium");

async function start() {
  const options = {
    timeoutSeconds: settings().get("timeoutSeconds", 60),
    memoryMegabytes: settings().get("memoryMegabytes", 4096),
    showsPage: true,
  };
  client = new Client(settings().get("path", "tertium"), options, output);
  try {
    await client.start();
  } catch (error) {
    const message = `Tertium could not be started (${error.message}). Is the program in the setting "tertium.path"?`;
    vscode.window.showErrorMessage(message);
  }
}

/** The model that is meant: the one that was named, or the one in front. */
async function model(uri) {
  const document = uri ? await vscode.workspace.openTextDocument(vscode.Uri.parse(String(uri))) : vscode.window.activeTextEditor && vscode.window.activeTextEditor.document;
  if (!document || !LANGUAGES.includes(document.languageId)) {
    vscode.window.showWarningMessage("Tertium: open a .gcl, .pml or .kmts file first.");
    return null;
  }
  await document.save();
  return document.uri.fsPath;
}

/** Checks the model and shows the page that `tertium view` makes of it. */
async function showPage(uri) {
  const file = await model(uri);
  if (!file) return null;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tertium-"));
  const page = path.join(folder, "page.html");
  const limits = ["--timeout", `${settings().get("timeoutSeconds", 60)}s`, "--memory", `${settings().get("memoryMegabytes", 4096)}M`];
  const told = { location: vscode.ProgressLocation.Notification, title: `Tertium: the page of ${path.basename(file)}`, cancellable: true };
  try {
    await vscode.window.withProgress(told, (_, cancel) => new Promise((resolve, reject) => {
      const running = execFile(settings().get("path", "tertium"), ["view", file, "-o", page, "-q", ...limits], (error, _out, complaint) => (error ? reject(new Error(complaint || error.message)) : resolve()));
      cancel.onCancellationRequested(() => running.kill("SIGINT"));
    }));
    const panel = vscode.window.createWebviewPanel("tertium.page", `${path.basename(file)}: Tertium`, vscode.ViewColumn.Beside, { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [] });
    panel.webview.html = fs.readFileSync(page, "utf8");
    return panel;
  } catch (error) {
    output.appendLine(error.message);
    vscode.window.showErrorMessage(`Tertium: there is no page (${error.message.split("\n")[0]})`);
    return null;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Simulates the model in the browser, from a terminal that Ctrl-C ends. */
async function simulate(uri) {
  const file = await model(uri);
  if (!file) return;
  const terminal = vscode.window.createTerminal({ name: "Tertium", shellPath: settings().get("path", "tertium"), shellArgs: ["view", file, "--live", "-q"] });
  terminal.show();
}

async function activate(context) {
  output = vscode.window.createOutputChannel("Tertium");
  const restart = async () => {
    await client.stop();
    await start();
  };
  context.subscriptions.push(output,
    vscode.commands.registerCommand("tertium.restart", restart),
    vscode.commands.registerCommand("tertium.page", showPage),
    vscode.commands.registerCommand("tertium.simulate", simulate));
  await start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
