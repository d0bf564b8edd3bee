/** `npm run bench`: prints each result as it is measured; `npm run bench -- turn` runs one bench. See README.md. */
import { benchAnswering } from './answering.ts';
import { benchBargeIn, benchGrowth } from './barge-in.ts';
import { benchCallList } from './call-list.ts';
import { benchConsole } from './console.ts';
import { benchCreateCall } from './create-call.ts';
import { benchFairness } from './fairness.ts';
import { benchFleet } from './fleet.ts';
import { benchHangingRecognizer } from './hanging-recognizer.ts';
import { benchInspector } from './inspector.ts';
import { benchManyCalls } from './many-calls.ts';
import { benchMemory } from './memory.ts';
import { benchOverload } from './overload.ts';
import { benchPauses } from './pauses.ts';
import { runBenches } from './run-benches.ts';
import { benchResampling } from './resampling.ts';
import { benchSeveralGateways } from './several-gateways.ts';
import { benchSoundGaps } from './sound-gaps.ts';
import { benchStart } from './start.ts';
import { benchTakeOver } from './take-over.ts';
import { benchTurn } from './turn.ts';

await runBenches(
  new Map([
    ['create-call', benchCreateCall],
    ['several-gateways', benchSeveralGateways],
    ['turn', benchTurn],
    ['barge-in', benchBargeIn],
    ['pauses', benchPauses],
    ['answering', benchAnswering],
    ['fairness', benchFairness],
    ['overload', benchOverload],
    ['growth', benchGrowth],
    ['memory', benchMemory],
    ['many-calls', benchManyCalls],
    ['hanging-recognizer', benchHangingRecognizer],
    ['start', benchStart],
    ['call-list', benchCallList],
    ['console', benchConsole],
    ['fleet', benchFleet],
    ['inspector', benchInspector],
    ['resampling', benchResampling],
    ['sound-gaps', benchSoundGaps],
    ['take-over', benchTakeOver],
  ]),
);
