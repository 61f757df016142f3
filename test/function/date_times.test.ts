import { describe, expect, test } from "vitest";
import { startService } from "../support/service.ts";

const service = await startService();

/** The arguments that the database gets for a query; the query is sent unchanged. */
async function asked(query: string): Promise<Record<string, unknown>> {
  const response = await service.send(`/activity?${query}`);
  expect(response.status, query).toBe(200);
  return service.calls.at(-1)?.args ?? {};
}

describe("a point in time", () => {
  test.each([
    ["2026-11-21T10:15:30.123456Z", "2026-11-21T10:15:30.123456Z"],
    ["2026-11-21T10:15:30Z", "2026-11-21T10:15:30.000000Z"],
    ["2026-11-21T10:15:30", "2026-11-21T10:15:30.000000Z"],
    // Proves: requests.28, requests.30, requests.34, requests.35
    ["2026-11-21T10:15", "2026-11-21T10:15:00.000000Z"],
    ["2026-11-21T10:15Z", "2026-11-21T10:15:00.000000Z"],
    // Proves: requests.29
    ["2026-11-21T10:15:30.5Z", "2026-11-21T10:15:30.500000Z"],
    ["2026-11-21T10:15:30.05", "2026-11-21T10:15:30.050000Z"],
    // Proves: requests.28, requests.30, requests.34, requests.35
    ["2026-11-21T10:15:30%2B02:00", "2026-11-21T08:15:30.000000Z"],
    ["2026-11-21T10:15:30+02:00", "2026-11-21T08:15:30.000000Z"],
    ["2026-11-21T10:15:30%2002:00", "2026-11-21T08:15:30.000000Z"],
    // Proves: requests.28, requests.30, requests.34, requests.35
    ["2026-11-21T10:15:30-0330", "2026-11-21T13:45:30.000000Z"],
    // Proves: requests.28, requests.30, requests.34, requests.35
    ["2026-11-21T10:15+05", "2026-11-21T05:15:00.000000Z"],
    ["2026-11-21T10%3A15%3A30Z", "2026-11-21T10:15:30.000000Z"],
    ["2026-11-21T00:30+23:59", "2026-11-20T00:31:00.000000Z"],
    // Proves: requests.31
    ["2024-02-29T00:00Z", "2024-02-29T00:00:00.000000Z"],
    ["2000-02-29T00:00Z", "2000-02-29T00:00:00.000000Z"],
    ["0001-01-01T00:00Z", "0001-01-01T00:00:00.000000Z"],
    ["0099-12-31T23:59:59Z", "0099-12-31T23:59:59.000000Z"],
    ["1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"],
    // An offset moves these outside of the years 1 to 9999. They are sent in PostgreSQL's notation.
    ["0001-01-01T00:00:00+14:00", "0001-12-31T10:00:00.000000Z BC"],
    ["9999-12-31T23:00:00-14:00", "10000-01-01T13:00:00.000000Z"],
  ])("%s", async (text, sent) => {
    expect(await asked(`since=${text}`)).toMatchObject({ since: sent });
    expect(await asked(`until=${text}`)).toMatchObject({ until: sent });
  });
});

describe("digits past the sixth: since is rounded up, until down", () => {
  test.each([
    ["2026-11-21T10:15:30.1234561Z", "2026-11-21T10:15:30.123457Z", "2026-11-21T10:15:30.123456Z"],
    ["2026-11-21T10:15:30.123456001Z", "2026-11-21T10:15:30.123457Z", "2026-11-21T10:15:30.123456Z"],
    ["2026-11-21T10:15:30.123456000Z", "2026-11-21T10:15:30.123456Z", "2026-11-21T10:15:30.123456Z"],
    ["2026-11-21T10:15:30.999999999Z", "2026-11-21T10:15:31.000000Z", "2026-11-21T10:15:30.999999Z"],
    ["1969-12-31T23:59:59.9999999Z", "1970-01-01T00:00:00.000000Z", "1969-12-31T23:59:59.999999Z"],
    ["1950-06-01T00:00:00.0000001Z", "1950-06-01T00:00:00.000001Z", "1950-06-01T00:00:00.000000Z"],
    ["9999-12-31T23:59:59.9999999Z", "10000-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"],
  ])("%s", async (text, since, until) => {
    expect(await asked(`since=${text}`)).toMatchObject({ since });
    expect(await asked(`until=${text}`)).toMatchObject({ until });
  });
});

test("a bare date is the start of the day for since, its end for until", async () => {
  expect(await asked("since=2026-11-21&until=2026-11-21")).toMatchObject({
    since: "2026-11-21T00:00:00.000000Z",
    until: "2026-11-21T23:59:59.999999Z",
  });
});

describe("since that is not after until", () => {
  test.each([
    ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"],
    ["2026-11-21T10:00:00%2B01:00", "2026-11-21T09:00:00Z"],
    ["2026-11-21T10:00:00.123456001Z", "2026-11-21T10:00:00.123456002Z"],
    ["2026-11-21T23:59:59.999999999Z", "2026-11-21"],
  ])("%s, %s", async (since, until) => {
    expect((await service.send(`/activity?since=${since}&until=${until}`)).status).toBe(200);
  });
});
