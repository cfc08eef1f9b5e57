import * as vscode from 'vscode';
import { localeOf, type Locale } from '../../shared/strings.ts';
import { editorSettings } from './editorSettings.ts';

/** The language that the person reads: their setting, else the editor's. */
export function locale(): Locale {
  const { language } = editorSettings();
  return language === 'auto' ? localeOf(vscode.env.language) : language;
}
