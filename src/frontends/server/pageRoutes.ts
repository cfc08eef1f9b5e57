import { Hono } from 'hono';
import type { Locale } from '../../shared/strings.ts';
import type { Environment } from './HttpServer.ts';
import { readerLocale } from './readerLocale.ts';
import type { PageFiles } from './PageFiles.ts';
import { refused } from './refused.ts';

/** Our own script, style, font and line to the server, and nothing else: no remote picture, no frame, no form, nothing inline. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  vary: 'accept-language',
  'x-content-type-options': 'nosniff',
};

const ICON = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='#808080' stroke-width='2' stroke-linecap='round'><path d='M2 12h2.5M19.5 12H22M4.5 8.5v7M19.5 8.5v7M4.5 10.5c2.2 0 2.4-3.5 4.6-3.5 1.6 0 1.8 1.7 2.9 1.7S13.3 7 14.9 7c2.2 0 2.4 3.5 4.6 3.5M4.5 13.5c2.2 0 2.4 3.5 4.6 3.5 1.6 0 1.8-1.7 2.9-1.7s1.3 1.7 2.9 1.7c2.2 0 2.4-3.5 4.6-3.5'/></svg>`;

/** The web chat's page and its files. They say nothing of the workspace: whoever may not ask has to see where to say the token. */
export function pageRoutes(files: PageFiles, locale: Locale): Hono<Environment> {
  const routes = new Hono<Environment>();
  routes.get('/', (context) => {
    const language = readerLocale(context.req.header('accept-language'), locale);
    return new Response(page(language), { headers: HEADERS });
  });
  routes.get('/assets/:name', async (context) => {
    const found = await files.answer(context.req.param('name'), context.req.raw.headers);
    return found ?? refused(404, 'there is no such file');
  });
  return routes;
}

/** Addresses are relative, so that a proxy may put the server below a path. */
function page(locale: Locale): string {
  return `<!doctype html>
<html lang="${locale === 'zh-cn' ? 'zh-Hans' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Lathe</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="stylesheet" href="assets/index.css">
<link rel="stylesheet" href="assets/web.css">
</head>
<body>
<div id="root"></div>
<script type="module" src="assets/index.js"></script>
</body>
</html>
`;
}
