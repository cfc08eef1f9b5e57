/** Who answered is no model service: a proxy, a sign-in page, a web server at that address. */
export class PageError extends Error {
  override readonly name = 'PageError';
  constructor(
    readonly status: number,
    readonly title: string,
  ) {
    super(`a web page: ${title}`);
  }
}

/** Characters of a page that are looked through for its title. */
const LOOKED_AT = 20_000;

/**
 * Requests answered with a web page fail with PageError instead of reaching a package, which would find an empty stream in it.
 * A page with status 429 or 5xx is a service behind a proxy that is down: it goes on as any other failure, with the page's title as
 * its words.
 */
export function refusingPages(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) return response;
    const { status, headers } = response;
    const title = titleOf(await beginningOf(response));
    if (status === 429 || status >= 500) return new Response(title, { status, headers });
    throw new PageError(status, title);
  };
}

async function beginningOf({ body }: Response): Promise<string> {
  if (!body) return '';
  let text = '';
  // Leaving the loop closes the connection: a page without an end is not read to it.
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.length >= LOOKED_AT) break;
  }
  return text.slice(0, LOOKED_AT);
}

/** A page's title, else its first words. */
function titleOf(html: string): string {
  const title = /<title[^>]*>([^<]*)</i.exec(html)?.[1]?.trim();
  if (title !== undefined && title !== '') return title;
  return html
    .replace(/<(script|style|head)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
