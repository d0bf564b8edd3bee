/** Tests of audio of calls, speech engines and the simulated line, in one thread. */
import '#test/contract/simulator.test.ts';
import '#test/sip/answering.test.ts';
import '#test/sip/audio/audio-path.test.ts';
import '#test/sip/audio/listening.test.ts';
import '#test/sip/audio/playout.test.ts';
import '#test/sip/simulator.test.ts';
import '#test/sip/simulator/recording.test.ts';
import '#test/speech/recognizers.test.ts';
import '#test/speech/sentences.test.ts';
import '#test/speech/server-synthesizer.test.ts';
import '#test/speech/synthesizers.test.ts';
import '#test/speech/turn-model.test.ts';
import { declareTests } from '#test/run/together.ts';

declareTests();
