/**
 * Expected words: a literal text, or a regular expression between slashes, as in `/monday|tuesday/i`. Patterns come
 * from arbitrary files and are applied to arbitrary text, so they are matched by re2js, a port of RE2, in linear time.
 * re2js rejects look-arounds and back-references. A check of the expressions by recheck would take seconds for some and
 * fail for others.
 */

export type SaidPattern = {
  /** Returns the position of the first match. */
  find(text: string): { start: number; end: number } | undefined;
};

/** Reason why a pattern cannot be used, as a sentence. */
export type PatternProblem = { problem: string };

export type ReadPattern = (source: string) => SaidPattern | PatternProblem;

/** Creates a pattern that matches a literal text. */
export const plainPattern = (words: string): SaidPattern => ({
  find(text) {
    const start = text.indexOf(words);
    return start === -1 ? undefined : { start, end: start + words.length };
  },
});

const expressionIn = (source: string): { body: string; flags: string } | undefined => {
  const end = source.lastIndexOf('/');
  const flags = source.slice(end + 1);
  if (!source.startsWith('/') || end < 2 || !/^[a-z]{0,8}$/.test(flags)) return undefined;
  return { body: source.slice(1, end).replaceAll(String.raw`\/`, '/'), flags };
};

const refused = (body: string, complaint: string): PatternProblem => ({
  problem: /\(\?<?[=!]|\\[1-9]/.test(body)
    ? 'An expression may look neither ahead nor behind, nor refer back to what it found: it could take very long.'
    : `This is no regular expression: ${complaint.replace(/^error parsing regexp: /, '')}.`,
});

/** Loads the matcher on first use. */
export const loadPatterns = async (): Promise<ReadPattern> => {
  const { RE2JS, RE2JSException } = await import('re2js');
  return (source) => {
    const expression = expressionIn(source);
    if (expression === undefined) return plainPattern(source);
    const { body, flags } = expression;
    if (!/^[ius]*$/.test(flags)) return { problem: 'An expression takes no other flags than i, s and u.' };
    try {
      const compiled = RE2JS.compile(
        body,
        (flags.includes('i') ? RE2JS.CASE_INSENSITIVE : 0) | (flags.includes('s') ? RE2JS.DOTALL : 0),
      );
      return {
        find(text) {
          const matcher = compiled.matcher(text);
          return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
        },
      };
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      return refused(body, error.message);
    }
  };
};

export const isPattern = (read: SaidPattern | PatternProblem): read is SaidPattern => 'find' in read;
