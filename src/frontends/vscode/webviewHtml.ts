import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Locale } from '../../shared/strings.ts';

/**
 * The sidebar's page. Its policy lets in our own script and style and nothing else: no network, no remote picture, no frame, no form.
 * Chunks that the script loads later come from our own folder.
 */
export function webviewHtml(webview: vscode.Webview, folder: vscode.Uri, locale: Locale): string {
  const nonce = randomBytes(18).toString('base64url');
  const uri = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${webview.cspSource}`,
    `style-src ${webview.cspSource} 'unsafe-inline'`,
    `font-src ${webview.cspSource}`,
    `img-src ${webview.cspSource} data:`,
    "connect-src 'none'",
    "frame-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${uri('index.css')}">
<title>Lathe</title>
</head>
<body>
<div id="root"></div>
<script type="module" nonce="${nonce}" src="${uri('index.js')}"></script>
</body>
</html>`;
}
