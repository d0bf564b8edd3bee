/** Words of the pages of numbers alone. */
export const numberWords = {
  sectionMenu: 'Sections of the settings',
  sections: {
    greeting: 'Language and greeting',
    speech: 'Hearing and speaking',
    turns: 'Taking turns',
    machines: 'When no person answers',
    limits: 'Durations and limits',
    recording: 'Recording and privacy',
    destinations: 'Trunk and destinations',
    transfer: 'Transfers to a person',
  },
  voiceOfDefault: (engine: string) => `Of ${engine}; choosing one chooses this synthesizer.`,
  list: {
    key: (tail: string) => `Key …${tail}`,
    keyIssued: 'Key issued',
    noKey: 'No key',
    lastCall: 'Last call',
    noCall: 'No calls yet',
  },
  trial: {
    conversation: 'Conversation',
    otherParty: 'Other party',
    agent: 'Agent',
    connected: 'The other party has answered and waits for the agent to speak first.',
    task: (task: string) => `Its task: ${task}`,
    empty: 'The conversation with the agent appears here.',
    connect: (number: string, direction: string) => `Connect this agent to ${number} (${direction})`,
    isConnected: 'Connected, for calls that begin from now on.',
  },
  builtIn: {
    model: 'Model',
    noModelYet: 'None',
    modelHint: 'The model that writes its words, of those that the operator offers.',
    prompt: 'Instructions',
    promptHint:
      'Added to the gateway’s own, which tell it how to speak on the telephone and what the actions are for. Not a place for passwords: a caller can talk a model into telling them.',
    promptExample:
      'You are the front desk of Riverside Dental. We are open from nine to six, not on Sundays. Take requests for appointments with name and day; promise nothing.',
    tools: 'What it may do',
    toolNames: {
      hang_up: 'End the call after a goodbye',
      press_keys: 'Press keys, for a menu or an extension',
      collect_keys: 'Ask the other party for keys',
      transfer_call: 'Transfer to a person, where the settings of the number allow it',
    },
    withoutModel:
      'This gateway has no language model (GW_LLM_BASE_URL): the built-in agent keeps to a few plain questions, and uses none of these settings.',
    kept: 'Calls in progress keep what they began with.',
  },
};

/** Type of these words in any language. */
export type NumberWords = typeof numberWords;
