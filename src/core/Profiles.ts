import { message } from '../shared/strings.ts';
import type { ModelReference } from '../shared/events.ts';
import type { ProfileState } from '../shared/protocol.ts';
import type { Profile } from '../shared/settings.ts';
import { ProtocolError } from './Dispatcher.ts';
import type { SecretStore } from './host/Host.ts';
import type { ModelFacts, Provider } from './provider/Provider.ts';
import type { SettingsStore } from './SettingsStore.ts';

export interface ProfilesOptions {
  settings: SettingsStore;
  secrets: SecretStore | undefined;
  createProvider: (profile: Profile, key: string | undefined) => Promise<Provider>;
  /** A profile that stands above the stored ones (the environment's), with its key. */
  fixed?: { profile: Profile; key: string | undefined };
}

/** A model ready to be asked. */
export interface ProfileModel {
  profile: Profile;
  provider: Provider;
  facts: ModelFacts;
  reference: ModelReference;
}

/** The person's models: profiles from the settings, keys from the secret store, one provider a profile. */
export class Profiles {
  readonly #options: ProfilesOptions;
  #providers = new Map<string, Provider>();

  constructor(options: ProfilesOptions) {
    this.#options = options;
  }

  async list(): Promise<{ profiles: ProfileState[]; active?: string }> {
    const { fixed } = this.#options;
    const { profiles, activeProfile } = await this.#options.settings.read();
    const states = await Promise.all(
      profiles.map(async (profile) => ({ ...profile, hasKey: (await this.#key(profile)) !== undefined })),
    );
    if (fixed)
      return {
        profiles: [{ ...fixed.profile, hasKey: fixed.key !== undefined }, ...states],
        active: fixed.profile.name,
      };
    const active = profiles.find(({ name }) => name === activeProfile)?.name ?? profiles[0]?.name;
    return active === undefined ? { profiles: states } : { profiles: states, active };
  }

  /** The named profile's model, else the active one's. @throws ProtocolError when there is none. */
  async model(name: string | undefined): Promise<ProfileModel> {
    const { profiles, active } = await this.list();
    const wanted = name ?? active;
    const profile = profiles.find((candidate) => candidate.name === wanted);
    if (!profile) {
      throw new ProtocolError(
        'unavailable',
        wanted === undefined ? message('error.noProfile') : message('error.unknownProfile', { name: wanted }),
      );
    }
    const provider = await this.#provider(profile);
    const facts = provider.facts(profile.model);
    const contextWindow = profile.contextWindow ?? facts.contextWindow;
    const protocol = profile.protocol === 'auto' ? (facts.nativeTools ? 'native' : 'xml') : profile.protocol;
    const reference: ModelReference = {
      profile: profile.name,
      provider: provider.id,
      model: profile.model,
      protocol,
      ...(contextWindow === undefined ? {} : { contextWindow }),
    };
    return { profile, provider, facts, reference };
  }

  async save(profile: Profile, key: string | undefined): Promise<void> {
    if (key !== undefined && key !== '') await this.#secrets().set(secretName(profile.name), key);
    this.#providers.clear();
    await this.#options.settings.change((settings) => ({
      ...settings,
      profiles: [...settings.profiles.filter(({ name }) => name !== profile.name), profile],
      activeProfile: settings.activeProfile ?? profile.name,
    }));
  }

  async delete(name: string): Promise<void> {
    await this.#options.secrets?.delete(secretName(name));
    this.#providers.clear();
    await this.#options.settings.change((settings) => {
      const profiles = settings.profiles.filter((profile) => profile.name !== name);
      const activeProfile = settings.activeProfile === name ? profiles[0]?.name : settings.activeProfile;
      return { ...settings, profiles, activeProfile };
    });
  }

  async select(name: string): Promise<void> {
    const { profiles } = await this.list();
    if (!profiles.some((profile) => profile.name === name))
      throw new ProtocolError('not_found', message('error.unknownProfile', { name }));
    await this.#options.settings.change((settings) => ({ ...settings, activeProfile: name }));
  }

  /** For a test of what is not saved: the given key, else the stored one. */
  async unsaved(profile: Profile, key: string | undefined): Promise<Provider> {
    return await this.#options.createProvider(profile, key ?? (await this.#key(profile)));
  }

  async #provider(profile: Profile): Promise<Provider> {
    const key = await this.#key(profile);
    const id = JSON.stringify([profile, key ?? null]);
    const known = this.#providers.get(id);
    if (known) return known;
    const provider = await this.#options.createProvider(profile, key);
    this.#providers = new Map([[id, provider]]);
    return provider;
  }

  async #key(profile: Profile): Promise<string | undefined> {
    const { fixed, secrets } = this.#options;
    if (fixed?.profile.name === profile.name) return fixed.key;
    return await secrets?.get(secretName(profile.name));
  }

  #secrets(): SecretStore {
    if (!this.#options.secrets) throw new ProtocolError('unavailable', message('error.noSecretStore'));
    return this.#options.secrets;
  }
}

function secretName(profile: string): string {
  return `lathe.key.${profile}`;
}
