import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { contextLimit } from '../../src/core/context/contextLimit.ts';
import { estimateTokens } from '../../src/core/context/estimateTokens.ts';

const root = join(import.meta.dirname, '../..');
const code = readdirSync(join(root, 'src/core/context'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(root, 'src/core/context', name), 'utf8'));
const texts: Record<string, string> = {
  code: code.join('\n'),
  English: readFileSync(join(root, 'docs/architecture.md'), 'utf8'),
  Chinese: '对话长度超出上限。请新建任务，或选择上下文窗口更大的模型。读取、搜索、编辑、运行。'.repeat(20),
  Russian:
    'Разговор длиннее, чем может принять модель. Начните новую задачу или выберите другую модель. '.repeat(
      20,
    ),
};

describe('tokens, estimated', () => {
  for (const [what, text] of Object.entries(texts))
    it(`${what}: at most a third too few and twice too many`, () => {
      const share = estimateTokens(text) / countTokens(text);
      assert.ok(share > 0.66 && share < 2, `${share}`);
    });

  it('room is made at nine tenths of the window without the answer, or where the person says', () => {
    const limit = (
      window: number | undefined,
      answer?: number,
      condenseAtPercent = 0,
    ): number | undefined => {
      const tokens = contextLimit(window, answer, { condenseAtPercent });
      return tokens === undefined ? undefined : Math.round(tokens);
    };
    assert.deepEqual(
      [
        limit(undefined),
        limit(200_000, 20_000),
        limit(200_000),
        limit(8000),
        limit(128_000, 128_000),
        limit(200_000, 20_000, 50),
        limit(200_000, 20_000, 100),
      ],
      [undefined, 160_000, 171_808, 6400, 32_000, 100_000, 180_000],
    );
  });
});
