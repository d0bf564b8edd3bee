/** Settings of speech detection on real lines; part of the platform's policy (`policy.ts`). */

/** Times of answering-machine detection (`AnsweringNumbers` of sip/audio/listening). */
export const answeringMachine = {
  decideWithinMs: 30_000,
  greetingMs: 8_000,
  quietMs: 2_500,
  voiceBeforeBeepMs: 1_500,
  afterBeepMs: 300,
  silentMs: 4_000,
  lateWordsMs: 3_000,
} as const;

/** Speech detection of the other party on real lines (`ListeningNumbers` of sip/audio/listening). */
export const listening = {
  voice: {
    mode: 3,
    floorDb: -48,
    aboveNoiseDb: 6,
    gapMs: 600,
    echoLossDb: 24,
    onsetMs: 60,
    hangoverMs: 160,
  },
  turns: {
    pauseMs: 300,
    completeMs: 200,
    wholeMs: 450,
    usualMs: 700,
    openMs: 1_400,
    settleMs: 1_500,
    wordsMs: 1_200,
    sentenceWordsMs: 3_000,
    lastingVoiceMs: 900,
  },
  answering: answeringMachine,
  beep: {
    lowestHz: 330,
    highestHz: 2_130,
    shortestMs: 150,
    longestMs: 2_500,
    floorDb: -42,
    purity: 0.93,
    strayHz: 18,
    strayDb: 3,
  },
  onsets: { longestMs: 2_000, lateWordsMs: 1_500, likeness: 0.6, leastShare: 0.6, mostShare: 0.93 },
} as const;

/** Requests to the turn model (`TurnModelLimits` of src/speech/turn-model). */
export const turnModelLimits = { answerMs: 1_500, questions: 8, againMs: 30_000 } as const;
