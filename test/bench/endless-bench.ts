/** A bench that does not notice that its resources were ended, like a measurement that waits for its next round. */
import { runBenches } from '../../bench/run-benches.ts';

await runBenches(
  new Map([
    [
      'endless',
      async ({ started, print }) => {
        started.defer(() => print('resources', 'ended'));
        print('bench', 'begun');
        await new Promise((resolve) => setInterval(resolve, 2 ** 30));
      },
    ],
  ]),
);
