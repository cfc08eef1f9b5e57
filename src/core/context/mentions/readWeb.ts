import { ProxyError } from '../../../services/proxy/ProxyPlaces.ts';
import { PageError, readPage } from '../../../services/web/readPage.ts';
import { message } from '../../../shared/strings.ts';
import { cutTo, MentionProblem, mentioned, type MentionSources, type Reading } from './MentionSources.ts';

/** The page that a person named, as text. Only their own word has it fetched. @throws MentionProblem */
export async function readWeb(
  written: string,
  url: string,
  budget: number,
  { signal, host }: MentionSources,
): Promise<Reading> {
  try {
    const page = await readPage(url, signal, { proxies: host.proxies });
    const { text, cut } = cutTo(page.text, budget);
    const isCut = cut > 0 || page.cut;
    const title = page.title === '' ? [] : [`Title: ${page.title.slice(0, 300)}`];
    const note = isCut ? [`(Cut after ${text.length} characters of the page.)`] : [];
    const body = [
      ...title,
      text === '' ? '(The page has no text of its own; it may need a browser.)' : text,
      ...note,
    ];
    return {
      kind: 'url',
      outcome: isCut ? 'part' : 'whole',
      content: [mentioned('url', { from: page.url, trust: 'none' }, body.join('\n\n'))],
    };
  } catch (error) {
    if (error instanceof ProxyError)
      throw new MentionProblem(`The page was not fetched. ${error.message}`, error.words, { cause: error });
    if (!(error instanceof PageError)) throw error;
    const { reason, detail } = error;
    // What is typed may point anywhere: `elsewhere` does not occur.
    const key = reason === 'elsewhere' ? 'redirects' : reason;
    const words = message(`mention.page.${key}`, { mention: written, detail });
    throw new MentionProblem(`The page was not fetched (${reason}: ${detail}).`, words, { cause: error });
  }
}
