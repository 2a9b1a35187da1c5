// Starts `tertium lsp` and leaves everything else to it.
"use strict";

const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function start() {
  const settings = vscode.workspace.getConfiguration("tertium");
  const run = { command: settings.get("path", "tertium"), args: ["lsp"], transport: TransportKind.stdio };
  client = new LanguageClient("tertium", "Tertium", run, {
    documentSelector: ["gcl", "promela", "kmts"].map((language) => ({ language })),
    initializationOptions: {
      timeoutSeconds: settings.get("timeoutSeconds", 60),
      memoryMegabytes: settings.get("memoryMegabytes", 4096),
    },
  });
  return client.start();
}

async function activate(context) {
  const restart = async () => {
    await client?.stop();
    await start();
  };
  context.subscriptions.push(vscode.commands.registerCommand("tertium.restart", restart));
  try {
    await start();
  } catch (error) {
    const message = `Tertium could not be started (${error.message}). Is the program in the setting "tertium.path"?`;
    vscode.window.showErrorMessage(message);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
