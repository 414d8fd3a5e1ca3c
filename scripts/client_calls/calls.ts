// Calls by openapi-fetch over the types that openapi-typescript made: the address and a key are the arguments.
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

const [address = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });

// The smallest bodies that the guide shows have to fit their types.
const rule: components["schemas"]["RuleInput"] = {
  name: "Hosting",
  conditions: { conditions: [{ value: "Nimbus" }] },
  effects: [{ kind: "SET_ACCOUNT", accountId: 1 }],
};
const plan: components["schemas"]["PlanInput"] = {
  title: "A project",
  steps: [{ method: "POST", path: "/api/projects", body: { name: "Website" } }],
};

const listed = await client.GET("/api/transactions", { params: { query: { limit: 1, entryStatus: "DRAFT" } } });
const line = listed.data?.transactions[0];
if (!line) throw new Error("No line is listed.");
const id: number = line.id;
const read = await client.GET("/api/transactions/{id}", { params: { path: { id } } });
const tag = read.response.headers.get("ETag") ?? "";
const held = { path: { id }, header: { "If-Match": tag } };
const written = await client.PATCH("/api/transactions/{id}", { params: held, body: { description: "Another client" } });
const stale = await client.PATCH("/api/transactions/{id}", { params: held, body: { description: "Late" } });
if (stale.error?.code !== "stale_version") throw new Error(JSON.stringify(stale));
const same = await client.GET("/api/transactions/{id}", {
  params: { path: { id }, header: { "If-None-Match": written.response.headers.get("ETag") ?? "" } },
});
const tried = await client.POST("/api/automations/rules", { params: { query: { dryRun: true } }, body: rule });
const planned = await client.POST("/api/plans", { params: { query: { dryRun: true } }, body: plan });
const missing = await client.GET("/api/projects/{id}", { params: { path: { id: 999_999 } } });
const answers = [listed, read, written, stale, same, tried, planned, missing].map((each) => each.response.status);
if (answers.join() !== "200,200,200,412,304,200,200,404") throw new Error(answers.join());
console.log(`openapi-typescript: compiled, calls answered ${answers.join(", ")}`);
