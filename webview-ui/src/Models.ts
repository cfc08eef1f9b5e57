import type { ApprovalRule, AutoApproval } from '../../src/shared/approvals.ts';
import type { FoundService } from '../../src/shared/protocol.ts';
import { profileSchema, type Profile } from '../../src/shared/settings.ts';
import type { Session } from './Session.ts';
import type { Result } from './transport.ts';

/** Profiles, what was found on this machine, and what is approved automatically. */
export class Models {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async refresh(): Promise<void> {
    const { store, transport } = this.#session;
    const [{ profiles, active }, policy] = await Promise.all([
      transport.call('profile/list', {}),
      transport.call('approval/policy', {}),
    ]);
    store.set({ profiles, activeProfile: active, policy });
  }

  async findServices(): Promise<void> {
    const { store, transport } = this.#session;
    store.set({ services: undefined });
    try {
      store.set({ services: await transport.call('service/find', {}) });
    } finally {
      if (store.state.services === undefined) store.set({ services: [] });
    }
  }

  select(name: string): void {
    const { store, transport } = this.#session;
    const { taskId } = store.state;
    this.#session.attempt(async () => {
      await transport.call('profile/select', taskId === undefined ? { name } : { taskId, name });
      await this.refresh();
    });
  }

  /** @throws CallError */
  async save(profile: Profile, key: string): Promise<void> {
    await this.#session.transport.call('profile/save', key === '' ? { profile } : { profile, key });
    await this.refresh();
  }

  /** @throws CallError */
  async test(profile: Profile, key: string): Promise<Result<'profile/test'>> {
    return await this.#session.transport.call('profile/test', key === '' ? { profile } : { profile, key });
  }

  delete(name: string): void {
    this.#session.attempt(async () => {
      await this.#session.transport.call('profile/delete', { name });
      await this.refresh();
    });
  }

  /** One click: a profile for a service that was found, and it is the one in use. */
  addService(service: FoundService, model: string): void {
    this.#session.attempt(async () => {
      const profile = profileSchema.parse({
        name: this.#freeName(model),
        provider: service.provider,
        model,
        ...(service.baseUrl === undefined ? {} : { baseUrl: service.baseUrl }),
      });
      await this.save(profile, '');
      this.select(profile.name);
    });
  }

  /** The tour's profile, added when missing and selected. Resolves to its name. */
  async tourProfile(): Promise<string> {
    const { store, transport } = this.#session;
    const known = store.state.profiles.find(({ provider }) => provider === 'tour');
    const name = known?.name ?? this.#freeName(this.#session.words('webview.tourProfile'));
    if (!known) await this.save(profileSchema.parse({ name, provider: 'tour', model: 'tour' }), '');
    await transport.call('profile/select', { name });
    await this.refresh();
    return name;
  }

  setAutomatic(change: Partial<Pick<AutoApproval, 'read' | 'edit' | 'browser' | 'switchMode'>>): void {
    const { store, transport } = this.#session;
    this.#session.attempt(async () =>
      store.set({ policy: await transport.call('approval/setAutomatic', change) }),
    );
  }

  revoke(rule: ApprovalRule): void {
    const { store, transport } = this.#session;
    this.#session.attempt(async () =>
      store.set({ policy: await transport.call('approval/revoke', { rule }) }),
    );
  }

  #freeName(wanted: string): string {
    const taken = new Set(this.#session.store.state.profiles.map(({ name }) => name));
    const base = wanted.slice(0, 56);
    if (!taken.has(base)) return base;
    let number = 2;
    while (taken.has(`${base} ${number}`)) number++;
    return `${base} ${number}`;
  }
}
