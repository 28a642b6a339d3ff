"""Requests to servers that speak OpenAI's protocol: embedders, rerankers and judges share them."""
