// Starts "gram lsp" for programs of gram.
'use strict'

const { workspace } = require('vscode')
const { LanguageClient } = require('vscode-languageclient/node')

let client

exports.activate = async () => {
  const settings = workspace.getConfiguration('gram')
  const server = { command: settings.get('path'), args: ['lsp', ...settings.get('arguments')] }
  client = new LanguageClient('gram', 'gram', server, { documentSelector: [{ language: 'gram' }] })
  await client.start()
}

exports.deactivate = () => client && client.stop()
