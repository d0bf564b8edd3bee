export const stately = {
  title: 'Stately inspector',
  lead: 'The charts of calls in progress. The inspector is loaded from stately.ai; the data of calls goes from this gateway to this browser alone, without spoken words, keys and telephone numbers.',
  console: 'Console',
  own: 'Inspector of the console',
  ownInstead: 'Open the inspector of the console, which needs no internet',
  token: 'Admin token',
  call: 'Call',
  everyCall: 'empty: every call',
  watch: 'Watch',
  window: 'Open in a window',
  looking: 'Looking for stately.ai …',
  loading: 'Loading the inspector …',
  joining: 'Connecting …',
  watching: 'Watching.',
  noCall: 'Watching. The charts appear as soon as a call is in progress.',
  refused:
    'Not let in: are you signed in to the console, or is the token right, and is the call in progress?',
  over: 'Over',
  unreachable:
    'stately.ai cannot be reached from this browser, so the charts cannot be shown here. With a connection to the internet, load this page again.',
  blocked: 'The browser did not open a window. Allow windows of this page, and try again.',
};

/** The English texts define the type: other catalogues must have the same keys to compile. */
export type StatelyWords = typeof stately;
