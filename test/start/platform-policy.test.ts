import test from 'ava';
import { destinationKinds } from '#src/domain/destinations.ts';
import { platformPolicyOf } from '#src/start/platform-policy.ts';

test('what costs more than a call, and other countries, may be called only where that is said', (t) => {
  const { kinds, ...prefixes } = platformPolicyOf({ destinations: null }).destinations;
  t.deepEqual(
    destinationKinds.filter((kind) => !kinds.includes(kind)),
    ['premium', 'international'],
  );
  t.deepEqual(prefixes, { allowedPrefixes: [], deniedPrefixes: [] });
  t.like(platformPolicyOf({ destinations: ['premium', '!0505'] }).destinations, {
    kinds: ['premium'],
    deniedPrefixes: ['0505'],
  });
});

test('a word that is no kind and no prefix is refused at the start, with the kinds that there are', (t) => {
  const error = t.throws(() => platformPolicyOf({ destinations: ['landline'] }));
  t.regex(error.message, /of the kinds mobile, fixed_line, .*\(it has "landline"\)/);
});
