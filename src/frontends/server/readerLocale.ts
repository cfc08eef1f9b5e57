import { localeOf, type Locale } from '../../shared/strings.ts';

/** The language that a reader's browser likes best; `otherwise` where it says none. */
export function readerLocale(acceptLanguage: string | undefined, otherwise: Locale): Locale {
  const [best] = (acceptLanguage ?? '')
    .split(',')
    .map((part) => {
      const [language = '', ...parameters] = part.split(';').map((piece) => piece.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='));
      return { language, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ language, quality }) => language !== '' && language !== '*' && quality > 0)
    .toSorted((a, b) => b.quality - a.quality);
  return best ? localeOf(best.language) : otherwise;
}
