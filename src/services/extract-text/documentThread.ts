import { answerCalls } from '../threads/answerCalls.ts';
import type { DocumentKind } from './documentKinds.ts';
import { textInDocument } from './textInDocument.ts';

/** The one document to read. */
export interface DocumentRequest {
  bytes: Uint8Array;
  kind: DocumentKind;
}

answerCalls((request) => {
  const { bytes, kind } = request as DocumentRequest;
  return textInDocument(bytes, kind);
});
