import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { pathToFileURL } from 'node:url';
import { clientPackage } from './clientPackages.ts';

/** What these tests use of the published package acp-factory, as its own types tell it. */
export interface FactorySession {
  readonly id: string;
  readonly modes: readonly string[];
  /** The updates of one turn; its end is the turn's. The last one may be missing: the package drops what comes with the answer. */
  prompt(text: string): AsyncIterable<SessionUpdate>;
  cancel(): Promise<void>;
  setMode(mode: string): Promise<void>;
}

export interface FactoryAgent {
  readonly capabilities: { loadSession?: boolean };
  createSession(cwd: string, options?: { mode?: string }): Promise<FactorySession>;
  loadSession(sessionId: string, cwd: string): Promise<FactorySession>;
  isRunning(): boolean;
  close(): Promise<void>;
}

interface Factory {
  register(name: string, config: { command: string; args: string[]; env: NodeJS.ProcessEnv }): void;
  spawn(
    name: string,
    options: {
      permissionMode: 'auto-approve' | 'auto-deny' | 'callback';
      onPermissionRequest?: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
    },
  ): Promise<FactoryAgent>;
}

export async function acpFactory(): Promise<Factory> {
  const address = pathToFileURL(clientPackage('acp-factory', 'dist', 'index.js')).href;
  const { AgentFactory } = (await import(address)) as { AgentFactory: Factory };
  return AgentFactory;
}
