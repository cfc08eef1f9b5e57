import type { McpSource } from '../../shared/mcp.ts';
import type { Message } from '../../shared/strings.ts';

/** `legacy` is the handshake of 2025-11-25 and before, a date is that revision alone, `auto` asks the server. */
export type ProtocolChoice = 'auto' | 'legacy' | '2026-07-28';

export interface OAuthConfig {
  clientId?: string;
  clientSecret?: string;
  /** An `https:` address of a document that describes us, for servers that take one in place of a registration. */
  clientMetadataUrl?: string;
  scopes?: string[];
  /** The authorization server that a secret may be shown to. */
  issuer?: string;
  /** `client_credentials` signs in without a person; it needs clientId, clientSecret and issuer. */
  grant: 'authorization_code' | 'client_credentials';
}

export type McpTarget =
  | {
      type: 'stdio';
      command: string;
      args: string[];
      /** Beside the few variables that every server gets. */
      environment: Record<string, string>;
      cwd: string;
    }
  | { type: 'http'; url: string; headers: Record<string, string>; wire: 'http' | 'sse' | 'either' };

/** One entry of a configuration, every variable replaced. */
export interface McpServerConfig {
  name: string;
  source: McpSource;
  disabled: boolean;
  target: McpTarget;
  /** Milliseconds that a request may take without a sign of life. */
  timeout: number;
  /** Tools whose calls need no yes. Only from the person's own file. */
  automaticTools: readonly string[];
  disabledTools: readonly string[];
  protocol: ProtocolChoice;
  /** Tell the server which folder is open. */
  roots: boolean;
  /** Let the server ask the model. */
  sampling: boolean;
  oauth: OAuthConfig;
  /** SHA-256, hex, of all that decides what runs and where it is reached: what consent is given to. Holds no value of a variable. */
  hash: string;
  /** Changes exactly when the connection must be made anew. */
  connectionKey: string;
  /** Why it cannot be used as written. */
  problem?: Message;
}
