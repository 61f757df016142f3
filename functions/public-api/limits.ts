// What an instance of the function takes on, and what of it is one company's (`docs/api.md`, Limits): so that something is
// left for the others, whatever one of them does. An instance has 256 MB and serves all companies.

const [kibibyte, mebibyte] = [1024, 1024 * 1024];

/** What there is of something in all, and what one company may have of it. */
export type Share = { readonly inAll: number; readonly ofOneCompany: number };

export const shares = {
  /**
   * Calls of the database that run at once, and of them those for new keys. PostgREST has 10 or more connections. Beside
   * 200 callers of one company's pages of 1,000 rows the neighbor's 95th percentile was 92 to 103 ms with three calls of
   * a company, 127 to 334 ms with four, on two cores that everything shares.
   */
  calls: { inAll: 6, ofOneCompany: 3, ofNewKeys: 2 },
  /** Calls beside these that keep the database busy for long: one of a company, so that its other requests go on. */
  slowCalls: { inAll: 2, ofOneCompany: 1 },
  /** Notes of refused uses, in all at once and of one company in a minute: they must take nothing from requests. */
  notes: { inAll: 2, ofOneCompany: 200 },
  /** Keys of which the instance knows whose they are. */
  keys: { inAll: 100_000, ofOneCompany: 200 },
  /** Bytes of bodies that have arrived, of up to 8 MiB each. */
  bodies: { inAll: 40 * mebibyte, ofOneCompany: 16 * mebibyte },
  /** Bytes of answers that are open, and those of each company whatever the others have open. */
  answers: { inAll: 64 * mebibyte, ofOneCompany: 16 * mebibyte, ofEach: 2 * mebibyte },
};

export const bytesOf = {
  /** What an answer counts at most. One that is sent at once counts only until then. */
  answer: mebibyte,
  /** A page from which the next ones of its company are slow. 1,000 ordinary rows have 400 kB. */
  heavyPage: mebibyte,
  /** Up to here a page is read as a whole: one that breaks off is then a 500. CSV takes a third less time so. */
  wholePage: 512 * kibibyte,
  /** Up to here a page is sent at once, and a longer one in pieces: else nothing tells whether its caller reads it. */
  sentAtOnce: 128 * kibibyte,
  piece: 64 * kibibyte,
};

/** How long something may take, or lasts. */
export const milliseconds = {
  /** A call of the database, including the body if all of it is read. */
  call: 8000,
  /** A call of a replica: then there is enough time left for the primary. One that was late is not used for a while. */
  callOfReplica: 2000,
  pauseOfReplica: 10_000,
  /** The wait for a turn, all of a request together, and that of a slow call. */
  turn: 2000,
  slowTurn: 10_000,
  /** For so long after a heavy page the pages of its company are slow. */
  heavy: 10_000,
  /** Between two refusals of keys, and the longest delay of one: so who tries many keys mostly waits outside. */
  betweenRefusals: 20,
  refusal: 20_000,
  /** The arrival of a body. */
  body: 10_000,
  /** How long a caller may take nothing of an answer. */
  unread: 30_000,
  /** How long an answer counts at most. */
  open: 120_000,
};

/** The most bytes of a body, and the text of the 400 for a larger one. */
export type BodyLimit = readonly [bytes: number, tooLarge: string];

/** The largest import that makes sense has 9,500 values. To parse 8 MiB of an assistant's message could take seconds. */
export const bodyLimits = {
  rewards: 500,
  values: 20_000,
  import: [8 * mebibyte, "body must be at most 8 MiB and 500 rewards"],
  message: [64 * kibibyte, "body must be at most 64 KiB"],
  signIn: [8 * kibibyte, "body must be at most 8 KiB"],
  /** Each piece takes as much time as several KiB: a body in pieces of one byte would take minutes. */
  pieces: { least: 512, bytesOfEach: 1500 },
  /** Objects and lists in each other in a message. Thousands would be more than the library's stack takes. */
  levels: 32,
} as const;

/** Of the answer of an assistant's tool. */
export const toolLimits = {
  /** The bytes of rows that are read: a page of 40 MB would take more memory than an instance has. */
  bytes: mebibyte,
  /** Of text and of structured content: Claude Code shows 25,000 tokens, of 1.6 characters or more (IDs, times). */
  characters: 40_000,
  /** The characters of a cell of a row that alone does not fit. */
  ofCell: 2000,
};
