import { Lease, type LeaseHolder } from '../../services/leases/Lease.ts';

export { LeaseTakenError, type LeaseHolder } from '../../services/leases/Lease.ts';

/** One writer a task: `lease.json` in its folder names the process that runs a turn. */
export class TaskLease {
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
