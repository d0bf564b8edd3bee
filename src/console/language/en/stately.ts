export const stately = {
  title: 'Stately inspector',
  lead: 'The charts of calls in progress. The inspector is loaded from stately.ai. Call data goes only from this gateway to this browser, without spoken words, keys and telephone numbers.',
  console: 'Console',
  own: 'Console inspector',
  ownInstead: 'Open the console inspector, which needs no internet',
  token: 'Admin token',
  call: 'Call',
  everyCall: 'If empty, every call',
  watch: 'Watch',
  window: 'Open in a window',
  looking: 'Looking for stately.ai …',
  loading: 'Loading the inspector …',
  joining: 'Connecting …',
  watching: 'Watching.',
  noCall: 'Watching. The charts appear as soon as a call is in progress.',
  refused:
    'Rejected. Check that you are signed in or that the token is right, and that the call is in progress.',
  over: 'Over',
  unreachable:
    'stately.ai cannot be reached from this browser, so the charts cannot be shown here. Connect to the internet and reload this page.',
  blocked: 'The browser blocked the window. Allow pop-ups for this page and try again.',
};

/** The English texts define the type: other catalogues must have the same keys to compile. */
export type StatelyWords = typeof stately;
