import { getDocumentProxy } from 'unpdf';
import { DocumentError } from './documentKinds.ts';

/** Characters past which the rest of a document is not taken out. */
const MOST_CHARACTERS = 20_000_000;
/** Words that the reader has for what a document lacks, in ours. */
const FAILURES: Readonly<Record<string, string>> = {
  PasswordException: 'it is encrypted with a password',
  InvalidPDFException: 'it is no PDF, or it is damaged',
  FormatError: 'it is damaged',
};

/** The text of a PDF, each page under its number. @throws DocumentError */
export async function pdfText(bytes: Uint8Array): Promise<string> {
  try {
    // The reader takes the bytes for its own.
    const pdf = await getDocumentProxy(Uint8Array.from(bytes), {
      useSystemFonts: false,
      stopAtErrors: false,
      verbosity: 0,
    });
    try {
      return await textOf(pdf);
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (error) {
    const known = error instanceof Error ? FAILURES[error.name] : undefined;
    if (known === undefined) throw error;
    throw new DocumentError(known, { cause: error });
  }
}

async function textOf(pdf: Awaited<ReturnType<typeof getDocumentProxy>>): Promise<string> {
  const pages: string[] = [];
  let characters = 0;
  let read = 0;
  while (read < pdf.numPages && characters < MOST_CHARACTERS) {
    const page = await pdf.getPage(++read);
    const { items } = await page.getTextContent();
    page.cleanup();
    const text = items
      .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
      .join('')
      .trim();
    characters += text.length;
    pages.push(`# Page ${read}\n${text}`.trimEnd());
  }
  if (characters === 0)
    throw new DocumentError(
      `${pdf.numPages === 1 ? 'its one page holds' : `its ${pdf.numPages} pages hold`} no text, only pictures`,
    );
  if (read < pdf.numPages) pages.push(`# The other ${pdf.numPages - read} pages are left out`);
  return pages.join('\n\n');
}
