import { memo, useRef } from 'react';
import type { Token, Tokens } from 'marked';
import { CodeBlock } from './CodeBlock.tsx';
import { decodeEntities } from './decodeEntities.ts';
import { Link, PathCode } from './Link.tsx';
import { BlockReader, MARKDOWN_LIMIT } from './markdownBlocks.ts';

interface Props {
  text: string;
  streaming?: boolean;
}

/**
 * A message as elements, made from its tokens and never from HTML: a tag in the text is shown as text, a picture as a
 * link to it, so that nothing in a message can run or load.
 */
export const Markdown = memo(function Markdown({ text, streaming = false }: Props): React.JSX.Element {
  const reader = useRef<BlockReader | null>(null);
  reader.current ??= new BlockReader();
  if (text.length > MARKDOWN_LIMIT) return <pre className="plain">{text}</pre>;
  const blocks = reader.current.read(text, streaming);
  return (
    <div className="markdown" dir="auto">
      {blocks.map((block, index) => (
        <Block key={index} token={block.token} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ token }: { token: Token }): React.ReactNode {
  return renderBlock(token, 0);
});

function renderAll(tokens: readonly Token[] | undefined): React.ReactNode {
  return tokens?.map(renderBlock);
}

function renderBlock(token: Token, key: number): React.ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading': {
      const { depth, tokens } = token as Tokens.Heading;
      return (
        <div
          key={key}
          role="heading"
          aria-level={Math.min(6, depth + 2)}
          className={`heading heading-${depth}`}
        >
          {renderInline(tokens)}
        </div>
      );
    }
    case 'paragraph':
      return <p key={key}>{renderInline((token as Tokens.Paragraph).tokens)}</p>;
    case 'code': {
      const { text, lang } = token as Tokens.Code;
      return <CodeBlock key={key} code={text} language={lang ?? ''} />;
    }
    case 'blockquote':
      return <blockquote key={key}>{renderAll((token as Tokens.Blockquote).tokens)}</blockquote>;
    case 'list':
      return <List key={key} list={token as Tokens.List} />;
    case 'table':
      return <Table key={key} table={token as Tokens.Table} />;
    case 'hr':
      return <hr key={key} />;
    case 'text': {
      const { tokens, text } = token as Tokens.Text;
      return tokens ? <span key={key}>{renderInline(tokens)}</span> : decodeEntities(text);
    }
    default:
      // HTML and whatever else: as it was written.
      return /^\s*<!--.*-->\s*$/s.test(token.raw) ? null : <p key={key}>{token.raw.trim()}</p>;
  }
}

function List({ list }: { list: Tokens.List }): React.JSX.Element {
  const items = list.items.map((item, index) => (
    <li key={index} className={item.task ? 'task' : undefined}>
      {item.task && (
        <span
          className={`codicon codicon-${item.checked === true ? 'check' : 'circle-outline'}`}
          role="img"
          aria-label={item.checked === true ? '☑' : '☐'}
        />
      )}
      {renderAll(item.tokens.filter(({ type }) => type !== 'checkbox'))}
    </li>
  ));
  return list.ordered ? <ol start={list.start === '' ? 1 : list.start}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table }: { table: Tokens.Table }): React.JSX.Element {
  return (
    <div className="table" tabIndex={0} role="group">
      <table>
        <thead>
          <tr>
            {table.header.map((cell, index) => (
              <th key={index} scope="col">
                {renderInline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>{renderInline(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderInline(tokens: readonly Token[] | undefined): React.ReactNode {
  return tokens?.map((token, key) => {
    switch (token.type) {
      case 'strong':
        return <strong key={key}>{renderInline((token as Tokens.Strong).tokens)}</strong>;
      case 'em':
        return <em key={key}>{renderInline((token as Tokens.Em).tokens)}</em>;
      case 'del':
        return <del key={key}>{renderInline((token as Tokens.Del).tokens)}</del>;
      case 'codespan':
        return <PathCode key={key} code={decodeEntities((token as Tokens.Codespan).text)} />;
      case 'br':
        return <br key={key} />;
      case 'link': {
        const { href, tokens: content } = token as Tokens.Link;
        return (
          <Link key={key} href={href}>
            {renderInline(content)}
          </Link>
        );
      }
      case 'image': {
        const { href, text } = token as Tokens.Image;
        return (
          <Link key={key} href={href} icon="file-media">
            {text === '' ? href : text}
          </Link>
        );
      }
      case 'escape':
        return (token as Tokens.Escape).text;
      case 'text': {
        const { tokens: content, text } = token as Tokens.Text;
        return content ? <span key={key}>{renderInline(content)}</span> : decodeEntities(text);
      }
      case 'html':
        return /^<br\s*\/?>$/i.test(token.raw) ? <br key={key} /> : token.raw;
      default:
        return token.raw;
    }
  });
}
