/**
 * Known mistakes, each planted into the code of a gateway while it is loaded (`plant.ts`): `npm run simulate --
 * --planted` verifies that the named rule finds each of them. Add the mistake behind a defect that the simulation did
 * not find.
 */

/** A replacement of every occurrence of a text in a file of the repository. */
export type Change = { file: string; from: string; to: string };

export type Mistake = {
  name: string;
  changes: readonly Change[];
  /** Beginning of the violation (`checks.ts`, `world.ts`, `run-seed.ts`) that must be found. */
  rule: string;
};

const newFact = 'src/persistence/calls/call-facts/new-fact.ts';
const answerCall = 'src/persistence/calls/answer-call.ts';
const endCall = 'src/persistence/calls/end-call.ts';
const claimCalls = 'src/persistence/calls/claim-calls.ts';
const takeOver = 'src/continuity/take-over.ts';
const anyEpoch = { from: 'call.epoch = $3', to: '$3::int is not null' };

export const mistakes: readonly Mistake[] = [
  {
    name: 'the end of a call has no event',
    changes: [{ file: endCall, from: 'workspace.id = call_after.workspace_id', to: 'false' }],
    rule: 'an ended call has no event of its end',
  },
  {
    name: 'the gateway that takes a call over uses its wall clock',
    changes: [{ file: takeOver, from: 'aheadMs === null ? clocks.wall()', to: 'true ? clocks.wall()' }],
    rule: 'a reported duration is wrong',
  },
  {
    name: 'a take-over does not raise the epoch',
    changes: [
      {
        file: claimCalls,
        from: "eb('Call.epoch', '+', sql.lit(1))",
        to: "eb('Call.epoch', '+', sql.lit(0))",
      },
    ],
    rule: 'a call has another holder without a new epoch',
  },
  {
    name: 'a fact is written without comparing the epoch',
    changes: [
      { file: newFact, ...anyEpoch },
      { file: newFact, from: 'and call.epoch = given.epoch', to: '' },
    ],
    rule: 'a gateway wrote to a call held by another one',
  },
  {
    name: 'a turn is written without comparing the epoch',
    changes: [{ file: 'src/persistence/calls/add-turn.ts', from: 'and call.epoch = given.epoch', to: '' }],
    rule: 'a gateway wrote to a call held by another one',
  },
  {
    name: 'an answer is written without comparing the epoch',
    changes: [{ file: answerCall, ...anyEpoch }],
    rule: 'a gateway wrote to a call held by another one',
  },
  {
    name: 'several answers are written without comparing the epoch',
    changes: [{ file: answerCall, from: 'and call.epoch = given.epoch', to: '' }],
    rule: 'a gateway wrote to a call held by another one',
  },
  {
    name: 'several answerers are written without comparing the epoch',
    changes: [
      {
        file: 'src/persistence/calls/call-facts/call-changes.ts',
        from: 'and call.epoch = given.epoch',
        to: '',
      },
    ],
    rule: 'a gateway wrote to a call held by another one',
  },
  {
    name: 'transitions are stored without comparing the epoch',
    changes: [
      {
        file: 'src/persistence/calls/call-transitions.ts',
        from: ".whereRef('Call.epoch', '=', 'given.epoch')",
        to: '',
      },
    ],
    rule: 'a gateway wrote to a call held by another one',
  },
  {
    name: 'the end of a call is written without comparing the epoch',
    changes: [{ file: endCall, ...anyEpoch }],
    rule: 'a gateway wrote to a call held by another one',
  },
  {
    name: 'progress is stored without comparing the epoch',
    changes: [
      {
        file: 'src/persistence/calls/call-checkpoints.ts',
        from: ".whereRef('CallCheckpoint.epoch', '=', 'given.epoch')",
        to: '',
      },
    ],
    rule: 'a gateway wrote to a call held by another one',
  },
  {
    name: 'a take-over disconnects two talking persons',
    changes: [
      { file: 'src/continuity/resume-state.ts', from: "typeof isRecorded !== 'boolean'", to: 'true' },
    ],
    rule: 'two talking persons were disconnected although the call continued',
  },
  {
    name: 'a cancelled person keeps ringing',
    changes: [
      {
        file: 'sip/simulator/transferring.ts',
        from: "return leg === 'ringing' || leg === 'answered' ? fail('cancelled') : undefined;",
        to: 'return undefined;',
      },
    ],
    rule: 'a cancelled person is not released',
  },
  {
    name: 'an admitted call keeps its permit',
    changes: [{ file: 'src/calls/setup/start-call.ts', from: 'permit.release();', to: '' }],
    rule: 'a gateway without calls refuses one',
  },
  {
    name: 'an ended call still counts at its gateway',
    changes: [{ file: 'src/calls/live/switchboard.ts', from: 'liveCalls.remove(callId);', to: '' }],
    rule: 'a gateway without calls refuses one',
  },
  {
    name: 'a take-over is not published',
    changes: [
      {
        file: 'machines/call.ts',
        from: "target: 'talking', actions: [publishes.takenOver, 'keepPaused', 'goOn']",
        to: "target: 'talking', actions: ['keepPaused', 'goOn']",
      },
    ],
    rule: 'a holder continued a call without publishing that it took the call over',
  },
  {
    name: 'the checkpoint of an ended call is not deleted',
    changes: [{ file: endCall, from: "call_checkpoint.legs = '{}'", to: 'false' }],
    rule: 'the checkpoint of an ended call still exists',
  },
  {
    name: 'a gateway whose session is gone is not found dead',
    changes: [
      {
        file: 'src/continuity/nodes/judge-nodes.ts',
        from: 'withoutSession >= numbers.looksWithoutSession ||',
        to: '',
      },
      {
        file: 'src/continuity/nodes/judge-nodes.ts',
        from: 'unchanged >= numbers.looksOfLease\n',
        to: 'unchanged >= 10 * numbers.looksOfLease\n',
      },
    ],
    rule: 'a call has had no holder for longer than a lease',
  },
  {
    name: 'the first call of several that are taken over gets no actor',
    changes: [
      {
        file: takeOver,
        from: 'const resumable = calls.filter(isResumable);',
        to: 'const resumable = calls.filter(isResumable).slice(1);',
      },
    ],
    rule: 'a call has had no holder for longer than a lease',
  },
  {
    name: 'a take-over whose commit is in doubt is forgotten',
    changes: [
      {
        file: 'src/continuity/ownership.ts',
        from: 'if (error instanceof TakingInDoubt) inDoubt = [...inDoubt, ...error.calls];\n      throw error;',
        to: 'if (error instanceof TakingInDoubt) return; else throw error;',
      },
    ],
    rule: 'a call has had no holder for longer than a lease',
  },
  {
    name: 'a gateway that was declared dead forgets calls that nobody has taken',
    changes: [
      {
        file: 'src/parts/continuity.ts',
        from: 'if (!calls.admission.isDraining()) ownership.takeBack(callIds);',
        to: 'void callIds;',
      },
    ],
    rule: 'a call has had no holder for longer than a lease',
  },
  {
    name: 'an agent with a memory gets words again that it may have received before a death',
    changes: [
      {
        file: 'src/continuity/resume-state.ts',
        from: 'left.unheldMs === null && !mayAskAgain;',
        to: 'false;',
      },
      {
        file: 'src/continuity/resume-state.ts',
        from: 'return isUnheard && mayAskAgain',
        to: 'return isUnheard',
      },
    ],
    rule: 'an agent with a memory received the same words twice',
  },
  {
    name: 'a person with a script begins again after a take-over',
    changes: [
      {
        file: 'sip/simulator/callees.ts',
        from: 'placeInScript(stepsDone, () => onCheckpoint(callId))',
        to: 'placeInScript(0, () => onCheckpoint(callId))',
      },
    ],
    rule: 'a person with a script repeated a completed step',
  },
  {
    name: 'the journal of a call that was taken over continues one place too late',
    changes: [
      {
        file: takeOver,
        from: 'sequence: facts.at(-1)?.sequence ?? 0',
        to: 'sequence: 1 + (facts.at(-1)?.sequence ?? 0)',
      },
    ],
    rule: 'the facts of a call have a gap',
  },
  {
    name: 'a take-over forgets that consent is awaited',
    changes: [
      {
        file: 'src/continuity/resume-state.ts',
        from: 'isMachine(was) || !consentIsAwaited ? conversationOf',
        to: 'true ? conversationOf',
      },
      {
        file: 'src/continuity/resume-state.ts',
        from: '    consentIsAwaited,\n',
        to: '    consentIsAwaited: false,\n',
      },
    ],
    rule: 'a party heard more than the announcement before its consent',
  },
  {
    name: 'after a take-over, nobody asks for words that were lost',
    changes: [
      {
        file: 'src/continuity/resume-state.ts',
        from: 'onlyListens(left, conversation) && mayHaveLostWords(left, was)',
        to: 'false',
      },
    ],
    rule: 'a call was silent after a take-over',
  },
  {
    name: 'a repeated request is not recognized',
    changes: [
      {
        file: 'src/persistence/workspaces/idempotency-records.ts',
        from: 'if (row === undefined) return undefined;',
        to: 'if (row !== null) return undefined;',
      },
      {
        file: 'src/persistence/calls/create-calls.ts',
        from: 'or id in (select call_id from new_answer)',
        to: 'or true',
      },
    ],
    rule: 'a request placed two calls',
  },
  {
    name: 'an event that the receiver refused is not sent again',
    changes: [
      {
        file: 'src/events/attempt-delivery.ts',
        from: "return { state: 'waiting', retryMs: next.context.retryMs };",
        to: "return { state: 'delivered' };",
      },
    ],
    rule: 'the receiver has not exactly one end of a call',
  },
];
