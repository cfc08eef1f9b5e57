// Writes package.json's `contributes.configuration` and its words from the one settings schema. A test compares them.
import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { format, resolveConfig } from 'prettier';
import { editorSettingsSchema } from '../src/shared/settings.ts';

interface Manifest {
  contributes: Record<string, unknown>;
}

/** `contributes.configuration`, from the schema. All settings belong to the machine: no workspace may set them. */
export function configuration(): unknown {
  const { properties = {} } = z.toJSONSchema(editorSettingsSchema, { io: 'input' });
  return {
    title: 'Lathe',
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => {
        const { maximum, ...rest } = schema as Record<string, unknown>;
        // zod writes the largest safe integer where no maximum was given.
        const limited =
          maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? rest : { ...rest, maximum };
        return [`lathe.${name}`, { ...limited, scope: 'machine', description: `%configuration.${name}%` }];
      }),
    ),
  };
}

/** The settings' English words, for package.nls.json. */
export function settingWords(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(editorSettingsSchema.shape).map(([name, schema]) => [
      `configuration.${name}`,
      schema.description ?? '',
    ]),
  );
}

if (process.argv[1] === import.meta.filename) {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as Manifest;
  manifest.contributes.configuration = configuration();
  await write('package.json', manifest);
  const words = JSON.parse(await readFile('package.nls.json', 'utf8')) as Record<string, string>;
  await write('package.nls.json', { ...words, ...settingWords() });
}

async function write(path: string, value: unknown): Promise<void> {
  const style = await resolveConfig(path);
  await writeFile(path, await format(JSON.stringify(value), { ...style, filepath: path }));
}
