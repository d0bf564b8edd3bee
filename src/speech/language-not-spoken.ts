/** An engine has no voice for a language. Something else may have one. */
export class LanguageNotSpoken extends Error {
  override readonly name = 'LanguageNotSpoken';

  constructor(engine: string, language: string, options?: ErrorOptions) {
    super(`${engine} does not speak the language ${language}`, options);
  }
}
