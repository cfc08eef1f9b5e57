import { DocumentError, type DocumentKind } from './documentKinds.ts';
import { ZipEntries, ZipError } from './zipEntries.ts';

type Reader = (bytes: Uint8Array) => string | Promise<string>;

const READERS: Readonly<Record<DocumentKind, Reader>> = {
  '.docx': docxText,
  '.xlsx': xlsxText,
  '.ipynb': notebookText,
  // Loaded with the first of them: it is as large as all the rest.
  '.pdf': async (bytes) => (await import('./pdfText.ts')).pdfText(bytes),
};

/** The text of a document, taken out in this thread. @throws DocumentError */
export async function textInDocument(bytes: Uint8Array, kind: DocumentKind): Promise<string> {
  try {
    return await READERS[kind](bytes);
  } catch (error) {
    if (error instanceof ZipError || error instanceof SyntaxError)
      throw new DocumentError(error.message, { cause: error });
    throw error;
  }
}

/** A line a paragraph; the cells of a table's row with tabs between them. */
function docxText(bytes: Uint8Array): string {
  const xml = new ZipEntries(bytes).text('word/document.xml');
  if (xml === undefined) throw new DocumentError('it holds no word/document.xml');
  const lines: string[] = [];
  let row: string[] | undefined;
  let cell: string[] = [];
  let line = '';
  const tag = /<w:(t|tab|br|cr)(?:\s[^>]*)?(?:\/>|>([^<]*)<\/w:t>|>)|<(\/?)w:(p|tr|tc)(?:\s[^>]*)?(\/?)>/g;
  for (const [, inline, text = '', closes, block, empty] of xml.matchAll(tag)) {
    if (inline !== undefined) line += inline === 't' ? decoded(text) : inline === 'tab' ? '\t' : '\n';
    else if (block === 'tr' && closes === '') row = [];
    else if (block === 'tr' && row) {
      lines.push(row.join('\t'));
      row = undefined;
    } else if (block === 'tc' && closes === '/') {
      row?.push(cell.join(' '));
      cell = [];
    } else if (block === 'p' && (closes === '/' || empty === '/')) {
      (row ? cell : lines).push(line);
      line = '';
    }
  }
  return lines.join('\n');
}

/** Each sheet under its name, a line a row, tabs between cells. Dates stand as the numbers that are kept. */
function xlsxText(bytes: Uint8Array): string {
  const zip = new ZipEntries(bytes);
  const workbook = zip.text('xl/workbook.xml');
  if (workbook === undefined) throw new DocumentError('it holds no xl/workbook.xml');
  const shared = [...(zip.text('xl/sharedStrings.xml') ?? '').matchAll(/<si(?:\s[^>]*)?>([^]*?)<\/si>/g)].map(
    ([, item = '']) => textsOf(item),
  );
  const targets = new Map(
    [...(zip.text('xl/_rels/workbook.xml.rels') ?? '').matchAll(/<Relationship\s[^>]*>/g)].map(
      ([relation]) => [
        attribute(relation, 'Id'),
        attribute(relation, 'Target').replace(/^\/?(xl\/)?/, 'xl/'),
      ],
    ),
  );
  const sheets = [...workbook.matchAll(/<sheet\s[^>]*>/g)].map(([sheet]) => {
    const xml = zip.text(targets.get(attribute(sheet, 'r:id')) ?? '') ?? '';
    return [`# ${decoded(attribute(sheet, 'name'))}`, ...rowsOf(xml, shared)].join('\n');
  });
  return sheets.join('\n\n');
}

function rowsOf(xml: string, shared: readonly string[]): string[] {
  return [...xml.matchAll(/<row(?:\s[^>]*)?>([^]*?)<\/row>/g)].map(([, row = '']) => {
    const cells: string[] = [];
    for (const [, attributes = '', content = ''] of row.matchAll(/<c(\s[^>]*?)?(?:\/>|>([^]*?)<\/c>)/g)) {
      const column = columnOf(attribute(attributes, 'r'));
      while (column !== undefined && cells.length < column) cells.push('');
      const value = /<v(?:\s[^>]*)?>([^<]*)<\/v>/.exec(content)?.[1] ?? '';
      const type = attribute(attributes, 't');
      cells.push(
        type === 's'
          ? (shared[Number(value)] ?? '')
          : type === 'inlineStr'
            ? textsOf(content)
            : decoded(value),
      );
    }
    return cells.join('\t');
  });
}

/** 0 for A1, 26 for AA1; undefined for what is no cell, or lies past what a sheet can have. */
function columnOf(reference: string): number | undefined {
  const letters = /^([A-Z]{1,3})\d+$/.exec(reference)?.[1];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

function textsOf(xml: string): string {
  return [...xml.matchAll(/<t(?:\s[^>]*)?>([^<]*)<\/t>/g)].map(([, text = '']) => decoded(text)).join('');
}

function attribute(tag: string, name: string): string {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi, entityText);
}

function entityText(whole: string, hex?: string, decimal?: string, name?: string): string {
  if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
  const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** Each cell under its number and kind; of outputs only the text. */
function notebookText(bytes: Uint8Array): string {
  const notebook: unknown = JSON.parse(new TextDecoder().decode(bytes));
  const cells = isRecord(notebook) ? notebook.cells : undefined;
  if (!Array.isArray(cells)) throw new DocumentError('it holds no cells');
  return cells
    .map((cell: unknown, index) => {
      const { cell_type: kind, source, outputs } = isRecord(cell) ? cell : {};
      const head = `# Cell ${index + 1} (${typeof kind === 'string' ? kind : 'unknown'})`;
      const shown = Array.isArray(outputs) ? outputs.map(outputText).filter((text) => text !== '') : [];
      return [head, joined(source), ...(shown.length > 0 ? ['# Output', ...shown] : [])].join('\n');
    })
    .join('\n\n');
}

function outputText(output: unknown): string {
  if (!isRecord(output)) return '';
  const data = isRecord(output.data) ? output.data['text/plain'] : undefined;
  return joined(output.text ?? data ?? output.traceback).trimEnd();
}

function joined(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string').join('') : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
