import { graphql } from "ponder";
import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";

export default new Hono().use("/graphql", graphql({ db, schema }));
