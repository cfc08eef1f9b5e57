import type { Page } from 'puppeteer-core';
import { BrowserError, type PictureType } from '../../shared/browser.ts';

/** Bytes of a picture for a model. */
const LARGEST = 1_000_000;
const QUALITIES = [75, 45, 15];

/**
 * What the page shows now. A lossy picture is made smaller until it fits.
 * @throws BrowserError when even the smallest does not
 */
export async function takePicture(page: Page, mediaType: PictureType): Promise<Uint8Array> {
  const type = mediaType === 'image/png' ? 'png' : mediaType === 'image/jpeg' ? 'jpeg' : 'webp';
  if (type === 'png') return await page.screenshot({ type, captureBeyondViewport: false });
  for (const quality of QUALITIES) {
    const bytes = await page.screenshot({ type, quality, captureBeyondViewport: false });
    if (bytes.length <= LARGEST) return bytes;
  }
  throw new BrowserError('page', `Its picture is over ${LARGEST} bytes. Make the page smaller with resize.`);
}
