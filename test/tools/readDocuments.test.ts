import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import { pdf } from '../support/pdf.ts';
import { withContext } from '../support/testContext.ts';

/** A zip archive of these texts, every second one packed. */
function zip(entries: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [index, [name, text]] of Object.entries(entries).entries()) {
    const packed = index % 2 === 0 ? deflateRawSync(text) : Buffer.from(text);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(index % 2 === 0 ? 8 : 0, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(header, Buffer.from(name), packed);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(entries).length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const WORD = `<w:document><w:body><w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p><w:p/>
<w:p><w:r><w:t xml:space="preserve">a &lt; b &amp;amp; </w:t></w:r><w:r><w:tab/><w:t>c&#x1F600;</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>one</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>two</w:t></w:r></w:p><w:p><w:r><w:t>three</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>`;

describe('read_file, documents', () => {
  const create = withContext();

  it('takes the text out of Word files', async () => {
    const context = await create({
      files: { 'a.docx': zip({ '[Content_Types].xml': '<x/>', 'word/document.xml': WORD }) },
    });
    const { text, response } = await context.xml('read_file', { path: 'a.docx' });
    assert.equal(
      text,
      '<files>\n<file>\n<path>a.docx</path>\n<content lines="1-4">\n1 | Plan\n2 | \n3 | a < b &amp; \tc\u{1f600}\n4 | one\ttwo three\n</content>\n<notice>This is the text of the docx file; its lines are not those of the file itself.</notice>\n</file>\n</files>',
    );
    assert.deepEqual(response?.details, { type: 'files', files: [{ path: 'a.docx', lines: '1-4' }] });
    const range = await context.native('read_file', { path: 'a.docx', start_line: 4, end_line: 4 });
    assert.match(range.text!, /\n 4\| one\ttwo three\n/);
  });

  it('takes the text out of sheets', async () => {
    const file = zip({
      'xl/workbook.xml':
        '<workbook><sheets><sheet name="A &amp; B" sheetId="1" r:id="rId1"/><sheet name="Empty" sheetId="2" r:id="rId2"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/></Relationships>',
      'xl/sharedStrings.xml':
        '<sst><si><t>name</t></si><si><r><t>ri</t></r><r><t xml:space="preserve">ch </t></r></si></sst>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row r="2"><c r="A2"><f>1+1</f><v>2</v></c><c r="B2"/><c r="C2" t="inlineStr"><is><t>in</t></is></c></row></sheetData></worksheet>',
      'xl/worksheets/sheet2.xml': '<worksheet><sheetData/></worksheet>',
    });
    const context = await create({ files: { 'a.xlsx': file } });
    const { text } = await context.native('read_file', { path: 'a.xlsx', show_line_numbers: false });
    assert.match(text!, /^\[File: a\.xlsx \| Lines: 5\]\n# A & B\nname\t\trich \n2\t\tin\n\n# Empty\n/);
  });

  it('shows a notebook by its cells', async () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Title\n', 'text'] },
      {
        cell_type: 'code',
        source: 'print(1)\n1 + 1',
        outputs: [
          { output_type: 'stream', text: ['1\n'] },
          { output_type: 'execute_result', data: { 'text/plain': '2', 'image/png': 'AAAA' } },
        ],
      },
    ];
    const context = await create({ files: { 'a.ipynb': JSON.stringify({ cells, nbformat: 4 }) } });
    const { text } = await context.native('read_file', { path: 'a.ipynb', show_line_numbers: false });
    assert.match(
      text!,
      /\n# Cell 1 \(markdown\)\n# Title\ntext\n\n# Cell 2 \(code\)\nprint\(1\)\n1 \+ 1\n# Output\n1\n2\n\(This is the text of the ipynb file/,
    );
  });

  it('takes the text out of PDFs, page by page, whole or a range', async () => {
    const context = await create({
      files: { 'a.pdf': pdf(['Hello (world)\nline two', '', 'The third page']) },
    });
    const { text, response } = await context.native('read_file', { path: 'a.pdf' });
    assert.equal(
      text,
      '[File: a.pdf | Lines: 8]\n 1| # Page 1\n 2| Hello (world)\n 3| line two\n 4| \n 5| # Page 2\n 6| \n 7| # Page 3\n 8| The third page\n(This is the text of the pdf file; its lines are not those of the file itself.)',
    );
    assert.deepEqual(response?.details, { type: 'files', files: [{ path: 'a.pdf', lines: '1-8' }] });
    const range = await context.xml('read_file', { path: 'a.pdf', start_line: '8', end_line: '8' });
    assert.match(range.text!, /<content lines="8-8">\n8 \| The third page\n<\/content>/);
  });

  it('keeps the budget in a PDF of many pages', async () => {
    const page = Array.from({ length: 40 }, (_, line) => `line ${line} of a page`).join('\n');
    const context = await create({
      files: { 'a.pdf': pdf(new Array<string>(60).fill(page)) },
      contextLeft: 2000,
    });
    const { text } = await context.native('read_file', { path: 'a.pdf' });
    assert.ok(text!.length < 6000);
    assert.match(text!, /Cut in line \d+: one read may fill only a part of the context\. Read on from line/);
  });

  it('stops waiting for a document when the call is stopped', async () => {
    const context = await create({ files: { 'a.pdf': pdf(new Array<string>(2000).fill('text')) } });
    const controller = new AbortController();
    await assert.rejects(
      context.native(
        'read_file',
        { path: 'a.pdf' },
        { signal: controller.signal, whileAsked: () => setImmediate(() => controller.abort()) },
      ),
      { name: 'AbortError' },
    );
  });

  it('keeps the budget of a read', async () => {
    const many = WORD.replace('Plan', 'wide '.repeat(100_000));
    const context = await create({
      files: { 'a.docx': zip({ 'word/document.xml': many }) },
      contextLeft: 1000,
    });
    const { text } = await context.native('read_file', { path: 'a.docx' });
    assert.ok(text!.length < 5000);
    assert.match(text!, /Cut in line 1/);
  });

  it('says what is wrong with a damaged one', async () => {
    const good = zip({ 'word/document.xml': WORD });
    const bomb = zip({ 'word/document.xml': '\0'.repeat(80 * 1024 * 1024) });
    const locked = Buffer.from(good);
    locked.writeUInt16LE(1, locked.indexOf('PK\u0001\u0002', 0, 'latin1') + 8);
    const context = await create({
      files: {
        'text.docx': 'not a zip',
        'cut.docx': good.subarray(0, good.length - 30),
        'other.docx': zip({ 'a.txt': 'x' }),
        'bomb.docx': bomb,
        'locked.docx': locked,
        'empty.docx': '',
        'a.xlsx': zip({ 'a.txt': 'x' }),
        'a.ipynb': '{"cells": 5}',
        'b.ipynb': '{',
        'text.pdf': 'not a pdf',
        'cut.pdf': pdf(['text']).subarray(0, 300),
        'scan.pdf': pdf(['', '']),
      },
    });
    const cases: [string, RegExp][] = [
      ['text.docx', /it is no zip archive/],
      ['cut.docx', /it is no zip archive/],
      ['other.docx', /holds no word\/document\.xml/],
      ['bomb.docx', /word\/document\.xml cannot be unpacked/],
      ['locked.docx', /it is encrypted/],
      ['a.xlsx', /holds no xl\/workbook\.xml/],
      ['a.ipynb', /it holds no cells/],
      ['b.ipynb', /JSON/],
      ['text.pdf', /it is no PDF, or it is damaged/],
      ['cut.pdf', /it is no PDF, or it is damaged/],
      ['scan.pdf', /its 2 pages hold no text, only pictures/],
    ];
    for (const [path, expected] of cases) {
      const { error, text } = await context.native('read_file', { path });
      assert.match(error ?? `no error: ${text ?? ''}`.slice(0, 200), expected, path);
      assert.match(error!, /^No text can be taken out of '.*Use a command that understands it/);
    }
    assert.match((await context.native('read_file', { path: 'empty.docx' })).text!, /The file is empty/);
  });
});
