import type { PagePoint, PageSize } from '../../shared/browser.ts';
import { ToolError } from './ToolError.ts';

const LONGEST_ADDRESS = 4000;
const SMALLEST = 200;
const LARGEST = 2000;

/** @throws ToolError for what is no web address, and for what a browser would open that is not of the web */
export function addressOf(text: string | undefined, action: string): URL {
  const address = text?.trim() ?? '';
  if (address === '') throw new ToolError(`${action} needs a url, such as http://localhost:3000.`);
  if (address.length > LONGEST_ADDRESS)
    throw new ToolError(`The url is ${address.length} characters long; the limit is ${LONGEST_ADDRESS}.`);
  const whole = withScheme(address);
  if (/^[/\\]/.test(address) || !URL.canParse(whole))
    throw new ToolError(
      `'${address.slice(0, 200)}' is no address. Send a url such as http://localhost:3000.`,
    );
  const url = new URL(whole);
  if (url.protocol === 'file:')
    throw new ToolError(
      'Files are not opened in the browser. Read it with read_file, or serve its folder on localhost with a command and launch that address.',
    );
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new ToolError(`Only http and https addresses are opened, not ${url.protocol.slice(0, 60)} ones.`);
  if (url.username !== '' || url.password !== '')
    throw new ToolError('The url holds a user name or a password. Send it without; sign in on the page.');
  if (url.hostname === '')
    throw new ToolError('The url names no host. Send one such as http://localhost:3000.');
  return url;
}

/** `localhost:3000` is a host and a port, not a scheme. */
function withScheme(address: string): string {
  if (/^[a-z][a-z0-9+.-]*:(?!\d+(?:[/?#]|$))/i.test(address)) return address;
  const isHere = /^(localhost|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\])(?=[:/?#]|$)/i.test(address);
  const hasPort = /^[^/?#]+:\d+(?=[/?#]|$)/.test(address);
  return `${isHere || hasPort ? 'http' : 'https'}://${address}`;
}

/** Host and unusual port, `www.` aside: http and https of one host are one site. */
export function siteOf(url: URL): string {
  return url.host.replace(/^www\./, '');
}

/**
 * `450,300`, also in brackets; `450,300@1024x768` is a point of a picture of that size, and is brought to the page's.
 * @throws ToolError
 */
export function pointOf(text: string | undefined, action: string, size: PageSize): PagePoint {
  const wanted = `'x,y' in pixels of the last screenshot (${size.width}x${size.height})`;
  if (text === undefined || text.trim() === '')
    throw new ToolError(`${action} needs a coordinate: ${wanted}.`);
  const match =
    /^\s*[[({]?\s*(\d+(?:\.\d+)?)\s*[,x\s]\s*(\d+(?:\.\d+)?)\s*[\])}]?\s*(?:@\s*(\d+)\s*[x,]\s*(\d+)\s*)?$/i.exec(
      text,
    );
  if (!match)
    throw new ToolError(`The coordinate '${text.slice(0, 60)}' cannot be read. Send it as ${wanted}.`);
  const [x = 0, y = 0, width = size.width, height = size.height] = match
    .slice(1)
    .map((part: string | undefined) => (part === undefined ? undefined : Number(part)));
  const point = { x: Math.round((x * size.width) / width), y: Math.round((y * size.height) / height) };
  if (!(point.x < size.width && point.y < size.height))
    throw new ToolError(
      `The point ${text.trim().slice(0, 60)} is outside of the page. Send ${wanted}; scroll to what is further down.`,
    );
  return point;
}

/** `1280,800` or `1280x800`. @throws ToolError */
export function sizeOf(text: string | undefined): PageSize {
  const match = /^\s*[[({]?\s*(\d+)\s*[,x\s]\s*(\d+)\s*[\])}]?\s*$/i.exec(text ?? '');
  const [width = 0, height = 0] = (match ?? []).slice(1).map(Number);
  const fits = [width, height].every((side) => side >= SMALLEST && side <= LARGEST);
  if (!fits)
    throw new ToolError(
      `resize needs a size: 'width,height' in pixels, each from ${SMALLEST} to ${LARGEST}, such as 1280,800.`,
    );
  return { width, height };
}
