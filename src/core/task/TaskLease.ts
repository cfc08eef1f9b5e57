import { Lease, type LeaseHolder } from '../../services/leases/Lease.ts';

export { LeaseLostError, LeaseTakenError, type LeaseHolder } from '../../services/leases/Lease.ts';

/** The right to write one task, until it is released. */
export interface HeldLease {
  release(): Promise<void>;
  /**
   * Asked before each write where a lease can be lost: resolves when it is (still, or again) held. `anew`: nobody held it for a while,
   * so that another may have written. @throws LeaseLostError
   */
  confirm?(): Promise<'held' | 'anew'>;
}

/** One writer a task. */
export interface Leases {
  /** `lost` is called when a lease that is held is lost. @throws LeaseTakenError while another live process holds it */
  acquire(folder: string, lost: () => void): Promise<HeldLease>;
  /** The live process that holds a task's lease, if any. */
  holder(folder: string): Promise<LeaseHolder | undefined>;
}

/** The usual leases: `lease.json` in the task's folder names the process that runs a turn. */
export class TaskLease implements HeldLease {
  readonly folder: string;
  readonly #lease: Lease;

  private constructor(lease: Lease) {
    this.folder = lease.folder;
    this.#lease = lease;
  }

  /** @throws LeaseTakenError while another live process holds it */
  static async acquire(folder: string): Promise<TaskLease> {
    return new TaskLease(await Lease.acquire(folder, 'lease'));
  }

  /** The live process that holds a task's lease, if any. */
  static async holder(folder: string): Promise<LeaseHolder | undefined> {
    return await Lease.holder(folder, 'lease');
  }

  async release(): Promise<void> {
    await this.#lease.release();
  }
}
