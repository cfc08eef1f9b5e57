import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { toolsForMode } from '../../src/core/modes/toolsForMode.ts';
import { systemPrompt, type SystemPromptInput } from '../../src/core/prompts/system.ts';
import { nativeTools } from '../../src/core/prompts/tools/index.ts';
import { tools } from '../../src/core/tools/index.ts';
import { builtInModes, type ModeConfig } from '../../src/shared/modes.ts';
import { editorSettingsSchema } from '../../src/shared/settings.ts';

const FOLDER = join(import.meta.dirname, '..', 'prompts');
/** With UPDATE_SNAPSHOTS=1 the files are written instead of compared. */
const updating = process.env.UPDATE_SNAPSHOTS === '1';
const protocols = ['xml', 'native'] as const;
const profiles = ['full', 'compact'] as const;
type Protocol = (typeof protocols)[number];
type PromptProfile = (typeof profiles)[number];

/** Tokens (of the o200k tokenizer) that a prompt may cost with its functions. */
const LIMITS: Record<PromptProfile, Record<Protocol, number>> = {
  full: { xml: 6000, native: 5000 },
  compact: { xml: 2000, native: 2000 },
};

function inputFor(mode: ModeConfig, protocol: Protocol, profile: PromptProfile): SystemPromptInput {
  const settings = editorSettingsSchema.parse({});
  const compact = profile === 'compact';
  const names = toolsForMode(mode, { compact, settings, isAvailable: () => true });
  return {
    mode,
    modes: builtInModes,
    tools: names.map((name) => tools[name]),
    describe: { protocol, settings, singleFileRead: compact, modes: [...builtInModes] },
    compact,
    projectRules: [],
    personalRules: [],
    platform: 'linux',
    shell: 'bash',
    workspace: 'project',
    date: '2026-01-31',
  };
}

function rendered(input: SystemPromptInput): { system: string; functions: string; tokens: number } {
  const native = input.describe.protocol === 'native';
  const system = systemPrompt(input);
  const functions = native ? nativeTools(input.tools, input.describe) : [];
  const wire = native ? JSON.stringify(functions) : '';
  return {
    system,
    functions: native ? `\n\n===== functions =====\n${JSON.stringify(functions, null, 1)}` : '',
    tokens: countTokens(system) + countTokens(wire),
  };
}

/** Compares with the file, and says how to take the change over. */
function matchSnapshot(name: string, text: string): void {
  const path = join(FOLDER, name);
  if (updating) {
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(path, text);
    return;
  }
  assert.equal(text, readFileSync(path, 'utf8'), `${name} changed; UPDATE_SNAPSHOTS=1 takes it over`);
}

describe('what the model is told', () => {
  const sizes: string[] = [];

  for (const mode of builtInModes)
    for (const protocol of protocols)
      for (const profile of profiles) {
        const name = `${mode.slug}.${protocol}${profile === 'compact' ? '.compact' : ''}.txt`;
        it(name, () => {
          const { system, functions, tokens } = rendered(inputFor(mode, protocol, profile));
          sizes.push(`${name.padEnd(34)}${String(tokens).padStart(6)} tokens`);
          matchSnapshot(name, `${tokens} tokens (o200k)\n\n${system}${functions}\n`);
          const limit = LIMITS[profile][protocol];
          assert.ok(tokens <= limit, `${name} has ${tokens} tokens; the limit is ${limit}`);
        });
      }

  it('there is no snapshot of a prompt that is gone', () => {
    const expected = builtInModes.flatMap(({ slug }) =>
      protocols.flatMap((protocol) => [`${slug}.${protocol}.txt`, `${slug}.${protocol}.compact.txt`]),
    );
    assert.deepEqual(readdirSync(FOLDER).sort(), expected.sort());
  });

  after(() => {
    if (process.env.PRINT_SIZES === '1' || updating) console.log(sizes.join('\n'));
  });
});
