import assert from 'node:assert/strict';
import { rankPaths } from '../../src/frontends/page/rankPaths.ts';

describe('paths to mention', () => {
  const files = [
    'src/cart/Cart.ts',
    'src/cart/CartTotal.ts',
    'src/index.ts',
    'docs/cart.md',
    'test/a/total.test.ts',
  ];
  const names = (query: string, limit = 10) =>
    rankPaths(files, query, limit).map(({ path, kind }) => `${kind} ${path}`);

  it('puts the name before the folder, and the short before the long', () => {
    assert.deepEqual(names('cart'), [
      'folder src/cart',
      'file docs/cart.md',
      'file src/cart/Cart.ts',
      'file src/cart/CartTotal.ts',
    ]);
  });

  it('finds scattered characters in order, and nothing else', () => {
    assert.deepEqual(names('ctot'), ['file src/cart/CartTotal.ts']);
    assert.deepEqual(names('zzz'), []);
  });

  it('gives no more than was asked for', () => {
    assert.equal(names('', 3).length, 3);
  });
});
