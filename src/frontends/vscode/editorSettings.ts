import * as vscode from 'vscode';
import { editorSettingsSchema, type EditorSettings } from '../../shared/settings.ts';

/**
 * The `lathe.*` settings as the person set them for this machine. A workspace's values are passed over, whatever form they have: no
 * file of a workspace may change how Lathe behaves. A value that is not valid counts as not set.
 */
export function editorSettings(): EditorSettings {
  const configuration = vscode.workspace.getConfiguration('lathe');
  const values: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(editorSettingsSchema.shape)) {
    const parsed = schema.safeParse(configuration.inspect(name)?.globalValue);
    if (parsed.success) values[name] = parsed.data;
  }
  return editorSettingsSchema.parse(values);
}
