import {
  RequestError,
  type SessionConfigOption,
  type SessionModeState,
  type SetSessionConfigOptionRequest,
} from '@agentclientprotocol/sdk';
import type { ModeConfig } from '../../shared/modes.ts';
import type { ProfileState } from '../../shared/protocol.ts';
import { message, translate, type Locale } from '../../shared/strings.ts';

/** What a session can be set to, and what it is set to. */
export interface SessionChoices {
  mode: string;
  modes: readonly ModeConfig[];
  /** The profile whose model answers; undefined while there is none. */
  profile: string | undefined;
  profiles: readonly ProfileState[];
}

export function modeState({ mode, modes }: SessionChoices): SessionModeState {
  return {
    currentModeId: mode,
    availableModes: modes.map(({ slug, name, description }) => ({
      id: slug,
      name,
      ...(description === undefined ? {} : { description }),
    })),
  };
}

export function configOptions(choices: SessionChoices, locale: Locale): SessionConfigOption[] {
  const { mode, modes, profile, profiles } = choices;
  const options: SessionConfigOption[] = [
    {
      id: 'mode',
      type: 'select',
      category: 'mode',
      name: translate(locale, message('acp.mode')),
      description: translate(locale, message('acp.mode.description')),
      currentValue: mode,
      options: modes.map(({ slug, name, description }) => ({
        value: slug,
        name,
        ...(description === undefined ? {} : { description }),
      })),
    },
  ];
  if (profile !== undefined)
    options.push({
      id: 'model',
      type: 'select',
      category: 'model',
      name: translate(locale, message('acp.model')),
      description: translate(locale, message('acp.model.description')),
      currentValue: profile,
      options: profiles.map(({ name, model, provider }) => ({
        value: name,
        name: name === 'environment' ? model : name,
        description: `${provider}: ${model}`,
      })),
    });
  return options;
}

/** What a request to set an option asks for. @throws RequestError for an option or a value that is not offered */
export function wantedChoice(
  request: SetSessionConfigOptionRequest,
  choices: SessionChoices,
  locale: Locale,
): { id: 'mode' | 'model'; value: string } {
  const { configId, value } = request;
  const option = configOptions(choices, locale).find(({ id }) => id === configId);
  if (option?.type !== 'select' || (option.id !== 'mode' && option.id !== 'model'))
    throw new RequestError(-32602, translate(locale, message('acp.error.unknownOption', { id: configId })));
  const values = option.options.flatMap((one) => ('value' in one ? [one.value] : []));
  if (typeof value !== 'string' || !values.includes(value))
    throw new RequestError(
      -32602,
      translate(
        locale,
        message('acp.error.unknownValue', {
          id: configId,
          value: String(value),
          values: values.join(', '),
        }),
      ),
    );
  return { id: option.id, value };
}
