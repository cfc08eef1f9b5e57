import assert from 'node:assert/strict';
import type { McpPrompt } from '../../src/shared/mcp.ts';
import { promptArguments, promptUsage } from '../../src/shared/mcpPrompt.ts';

const prompt: McpPrompt = {
  ...{ name: 'talk', id: 'talk' },
  arguments: [
    { name: 'city', required: true },
    { name: 'state', required: false },
  ],
};

describe('what is written behind a prompt of an MCP server', () => {
  it('goes to its arguments: in their order, by their names, the last with what is left', () => {
    const rows: [string, Record<string, string>][] = [
      ['', {}],
      ['Paris', { city: 'Paris' }],
      ['"New York" \'the state\'', { city: 'New York', state: 'the state' }],
      ['Paris in the spring', { city: 'Paris', state: 'in the spring' }],
      ['state=France Paris', { city: 'Paris', state: 'France' }],
      ['city="New York" NY and more', { city: 'New York', state: 'NY and more' }],
      ['x=1 y', { city: 'x=1', state: 'y' }],
      ['city=a city=b', { city: 'b' }],
    ];
    assert.deepEqual(
      rows.map(([given]) => [given, promptArguments(given, prompt)]),
      rows,
    );
    assert.deepEqual(promptArguments('a b', { ...prompt, arguments: [] }), {});
    assert.equal(promptUsage(prompt), '<city> [state]');
  });
});
