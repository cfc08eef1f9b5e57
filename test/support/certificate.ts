import { generateKeyPairSync, sign } from 'node:crypto';

/** A name's own certificate, signed by itself and good for a century: for servers that stand for one that there is not. */
export function certificate(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // ecdsa-with-SHA256
  const algorithm = sequence(object('2a8648ce3d040302'));
  // commonName
  const subject = sequence(set(sequence(object('550403'), der(0x0c, Buffer.from(name)))));
  const times = sequence(
    der(0x18, Buffer.from('20240101000000Z')),
    der(0x18, Buffer.from('21240101000000Z')),
  );
  const extension = (id: string, value: Buffer): Buffer => sequence(object(id), der(0x04, value));
  const extensions = sequence(
    // basicConstraints, subjectAltName
    extension('551d13', sequence(der(0x01, Buffer.from([0xff])))),
    extension('551d11', sequence(der(0x82, Buffer.from(name)))),
  );
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ...[algorithm, subject, times, subject],
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = der(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', content, privateKey)]));
  const lines = sequence(content, algorithm, signature)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value as DER writes it: tag, length, content. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, Math.floor(length / 256), length % 256];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts));
const set = (...parts: Buffer[]): Buffer => der(0x31, Buffer.concat(parts));
const object = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));
