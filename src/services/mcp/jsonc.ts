import { parse, printParseErrorCode, type ParseError } from 'jsonc-parser/lib/esm/main.js';

/** JSON with comments and commas before a closing bracket, as people write configuration. @throws SyntaxError */
export function parseJsonc(text: string): unknown {
  const content = text.replace(/^\ufeff/, '');
  const errors: ParseError[] = [];
  const value: unknown = parse(content, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = content.slice(0, first.offset).split('\n').length;
    throw new SyntaxError(`${printParseErrorCode(first.error)}, line ${line}`);
  }
  return value;
}
